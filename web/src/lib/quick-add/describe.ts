/** How a due date and a repetition read on chips and rows. */
import { wallTime } from '@/lib/rome-time'

import { CODES, civil, clockText, readWall, weekdayOf } from './days'
import type { Parsed } from './parse'

const WEEKDAYS = ['lunedì', 'martedì', 'mercoledì', 'giovedì', 'venerdì', 'sabato', 'domenica']
const MONTHS = ['gen', 'feb', 'mar', 'apr', 'mag', 'giu', 'lug', 'ago', 'set', 'ott', 'nov', 'dic']
const PLACES: Record<string, string> = {
  1: 'primo',
  2: 'secondo',
  3: 'terzo',
  4: 'quarto',
  5: 'quinto',
  [-1]: 'ultimo',
}
const UNITS: Record<string, [one: string, many: string]> = {
  DAILY: ['giorno', 'giorni'],
  WEEKLY: ['settimana', 'settimane'],
  MONTHLY: ['mese', 'mesi'],
  YEARLY: ['anno', 'anni'],
}

/**
 * «oggi», «domani 15:00», «sab 28 nov», with the year when it is another one.
 *
 * `due` is a day or a wall time in Rome, as parseQuickAdd answers it, or an instant with its zone, as the database does.
 */
export function describeDue(due: string, allDay: boolean, now: Date = new Date()): string {
  const { today } = readWall(wallTime(now))
  const { today: day, minutes } = readWall(due.length > 16 ? wallTime(due) : due)
  const name = ['ieri', 'oggi', 'domani'][day - today + 1] ?? dayText(day, today)
  return allDay ? name : `${name} ${clockText(minutes)}`
}

function dayText(day: number, today: number): string {
  const [year, month, date] = civil(day)
  const short = `${WEEKDAYS[weekdayOf(day)]?.slice(0, 3)} ${date} ${MONTHS[month - 1]}`
  return year === civil(today)[0] ? short : `${short} ${year}`
}

/** «ogni lunedì», «ogni 2 settimane», «il primo del mese»: every rule that the tasks table takes. */
export function describeRule(rrule: string, repeatFrom: Parsed['repeat_from'] = 'scadenza'): string {
  const fields = new Map(rrule.split(';').map((each) => each.split('=', 2) as [string, string]))
  const [one, many] = UNITS[fields.get('FREQ') ?? ''] ?? ['', '']
  const interval = Number(fields.get('INTERVAL') ?? 1)
  const every = interval > 1 ? `ogni ${interval} ${many}` : `ogni ${one}`
  const days = fields.get('BYDAY')?.split(',') ?? []
  const dates = fields.get('BYMONTHDAY')?.split(',') ?? []
  const inMonth = [...dates.map(dateText), ...days.filter((each) => /[0-9]/.test(each)).map(weekdayText)]
  const [until, count] = [fields.get('UNTIL'), fields.get('COUNT')]
  return [
    inMonth.length > 0 ? `${listed(inMonth)} ${interval > 1 ? every : 'del mese'}` : weekly(days, interval) || every,
    repeatFrom === 'completamento' ? ' dal completamento' : '',
    until ? ` fino al ${Number(until.slice(6, 8))} ${MONTHS[Number(until.slice(4, 6)) - 1]} ${until.slice(0, 4)}` : '',
    count ? (count === '1' ? ', una volta' : `, ${count} volte`) : '',
  ].join('')
}

function weekly(days: string[], interval: number): string {
  if (days.length === 0) return ''
  const names = days.map((each) => WEEKDAYS[CODES.indexOf(each)] ?? '')
  if (days.join() === 'MO,TU,WE,TH,FR' && interval === 1) return 'ogni giorno feriale'
  return interval > 1 ? `ogni ${interval} settimane: ${listed(names)}` : `ogni ${listed(names)}`
}

function dateText(date: string): string {
  if (date === '1') return 'il primo'
  if (date === '-1') return 'l’ultimo giorno'
  if (date.startsWith('-')) return `il ${date.slice(1)}º giorno dalla fine`
  return `${['8', '11'].includes(date) ? 'l’' : 'il '}${date}`
}

/** `-1FR` is the last Friday. */
function weekdayText(code: string): string {
  const wd = CODES.indexOf(code.slice(-2))
  const place = PLACES[code.slice(0, -2)] ?? `${code.slice(1, -2)}º dalla fine`
  const text = `${wd === 6 ? `${place.replace(/o$/, 'a')}` : place} ${WEEKDAYS[wd]}`
  return text.startsWith('u') ? `l’${text}` : `${wd === 6 ? 'la' : 'il'} ${text}`
}

const listed = (names: string[]) => new Intl.ListFormat('it', { type: 'conjunction' }).format(names)
