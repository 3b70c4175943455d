/**
 * The reader: what a line of quick-add says, part by part, and what stays its title.
 *
 * Nothing is guessed: what may mean something else («mar rosso», «fattura 12/2026») stays text, and so does what the
 * person turned back into text. Of more days or hours than one task has («ogni giorno tranne domenica») none is read.
 * All times are the clock on the wall in Rome. The assistant reads the same table (functions/_shared/quick_add);
 * tests/vectors/quick_add.json holds what both must answer.
 */
import { fold } from '@/lib/fold'
import { wallTime } from '@/lib/rome-time'

import { clockOf, dayOf, firstOf, isoDay, numberOf, readWall, rruleOf, stamp, weekdayOf } from './days'
import { NOWHERE, cuts, matches, reach } from './match'
import type { Last, Line, Match } from './match'
import { EITHER, PARTS, TAILS } from './rules'
import { closes, opens, tokensOf } from './tokens'
import type { Token } from './tokens'

/** A piece of the line that was understood. */
type Part = {
  kind: 'date' | 'time' | 'recurrence' | 'priority' | 'contact' | 'project' | 'someday' | 'deadline'
  start: number
  end: number
  text: string
}

/** The task that a line describes; `due` is YYYY-MM-DD or YYYY-MM-DDTHH:MM in Rome. */
export type Parsed = {
  title: string
  parts: Part[]
  due: string | null
  all_day: boolean
  rrule: string | null
  repeat_from: 'scadenza' | 'completamento'
  priority: number
  contact: string | null
  project: string | null
  someday: boolean
}

/** What has been understood so far: a part for each slot, today as a day, the time in minutes. */
type Reading = {
  now: Date
  today: number
  minutes: number
  parts: Part[]
  slots: Map<string, Match>
  names: Partial<Record<'contact' | 'project', string>>
  /** More days or hours are said than one task has. */
  isUnclear: boolean
}

/** Beyond these many characters a line is title only. */
const READ_LENGTH = 500
/** What an operation says, each at most once: «tra due ore» is both day and hour. */
const SLOTS: Record<string, string[]> = { clock: ['hour'], moment: ['hour'], wait: ['day', 'hour'], part: ['part'] }
/** Parts that say nothing of day and hour. */
const TIMELESS = new Set(['priority', 'contact', 'project'])

/**
 * Reads a line said at `now`; parts that begin at an offset in `kept` stay text.
 *
 * After an @ the whole of one of `names` is read, and otherwise one word.
 */
export function parseQuickAdd(
  text: string,
  now: Date,
  kept: readonly number[] = [],
  names: readonly string[] = [],
): Parsed {
  const line = { text, tokens: tokensOf(text.slice(0, READ_LENGTH)) }
  const reading: Reading = { now, ...readWall(wallTime(now)), parts: [], slots: new Map(), names: {}, isUnclear: false }
  const known = new Set(names.map(fold))
  let last: Last = NOWHERE
  let place = 0
  for (let token = line.tokens[0]; token; token = line.tokens[place]) {
    const stays = kept.includes(token.start)
    const tagEnd = readTag(reading, line, place, stays, known)
    const found = tagEnd === null ? best(reading, line, place, last) : null
    if (found?.rule.op === 'void') reading.isUnclear = true
    else if (found && found.rule.op !== 'leave' && (stays || fill(reading, found, last))) {
      last = { end: found.end, group: found.rule.group }
      if (!stays) addPart(reading, text, found.kind, token.start, line.tokens[found.end - 1]?.end ?? token.end)
    }
    place = tagEnd ?? found?.end ?? place + 1
  }
  return answer(text, reading.isUnclear ? forget(reading) : reading)
}

/** Without all that was said of day and hour. */
const forget = (reading: Reading): Reading => ({
  ...reading,
  parts: reading.parts.filter(({ kind }) => TIMELESS.has(kind)),
  slots: new Map(Array.from(reading.slots).filter(([slot]) => TIMELESS.has(slot))),
})

function addPart(reading: Reading, text: string, kind: string, start: number, end: number) {
  reading.parts.push({ kind: kind as Part['kind'], start, end, text: text.slice(start, end) })
}

/** Return the place after the tag; null where none begins. */
function readTag(
  reading: Reading,
  { text, tokens }: Line,
  place: number,
  stays: boolean,
  known: ReadonlySet<string>,
): number | null {
  const { raw = '', start = 0 } = tokens[place] ?? {}
  if (!/^[@#]./u.test(raw)) return null
  const kind = raw.startsWith('@') ? 'contact' : 'project'
  const said = ({ end }: Token) => text.slice(start + 1, end)
  const isWhole = (token: Token) => closes(text, token.end) && known.has(fold(said(token)).replaceAll(/\s+/g, ' '))
  const last = Math.max(
    place,
    kind === 'contact' ? tokens.findLastIndex((token, at) => at > place && isWhole(token)) : 0,
  )
  const end = tokens[last]?.end ?? start
  const name = text.slice(start + 1, end).replaceAll(/^[«"“ ]+|[»"” ]+$/g, '')
  if (!stays && opens(text, start) && closes(text, end) && /[^0-9]/.test(name) && !reading.names[kind]) {
    reading.names[kind] = name
    addPart(reading, text, kind, start, end)
  }
  return last + 1
}

/** The longest rule that cuts through no saying to be left; what does not exist keeps its words as text. */
function best({ today }: Reading, line: Line, place: number, last: Last): Match | null {
  for (const found of matches(line, place, last).toSorted((one, other) => other.end - one.end)) {
    const match = found.rule.op === 'every' ? withTails(line, found, today) : found
    if (!cuts(line, match)) return exists(match, today) ? unlessEither(line, match) : left(match, match.end)
  }
  return null
}

/** The words up to `end` as text. */
const left = (found: Match, end: number): Match => ({ ...found, rule: { ...found.rule, op: 'leave' }, end })

/** «lunedì o martedì» and «alle 8 e alle 20» are two answers to one question: both stay text. */
function unlessEither(line: Line, found: Match): Match {
  const { group } = found.rule
  const place = found.end + 1
  const joined = place < line.tokens.length && EITHER.has(line.tokens[found.end]?.norm ?? '')
  if (!joined || !['date', 'time'].includes(group)) return found
  const others = matches(line, place, { end: place, group }).filter(({ rule }) => rule.group === group)
  return others.length > 0 ? left(found, Math.max(...others.map(({ end }) => end))) : found
}

function exists({ rule, values }: Match, today: number): boolean {
  if (rule.group === 'date') return dayOf(rule.op, values, today) !== null
  return !['clock', 'moment'].includes(rule.op) || clockOf(values) !== null
}

/** «… dal completamento», «… per 5 volte», «… fino al 31 dicembre» belong to the repetition. */
function withTails(line: Line, found: Match, today: number): Match {
  for (const tail of TAILS) {
    const reached = reach(line, tail.items, found.end)
    if (!reached || !closes(line.text, line.tokens[reached.end - 1]?.end ?? 0)) continue
    const values = { ...found.values, ...tail.settings, ...reached.values }
    if (!tail.settings.until) return { ...found, end: reached.end, values }
    const until = untilOf(line, reached.end, today)
    if (until) return { ...found, end: until.end, values: { ...values, until: until.day } }
  }
  return found
}

function untilOf(line: Line, place: number, today: number): { end: number; day: string } | null {
  if (place >= line.tokens.length) return null
  const dates = matches(line, place, { end: place, group: 'recurrence' }).filter(({ kind }) => kind === 'date')
  const [longest] = dates.toSorted((one, other) => other.end - one.end)
  const found = longest && dayOf(longest.rule.op, longest.values, today)
  return found ? { end: longest.end, day: isoDay(found.instead ?? found.day).replaceAll('-', '') } : null
}

/** Takes what a part says, unless an earlier one said it already. */
function fill(reading: Reading, found: Match, last: Last): boolean {
  const { slots } = reading
  const { op, group } = found.rule
  const wanted = SLOTS[op] ?? [group === 'date' ? 'day' : group]
  if (wanted.some((slot) => slots.has(slot))) {
    reading.isUnclear ||= contradicts(reading, found, last)
    return false
  }
  for (const slot of wanted) slots.set(slot, found)
  return true
}

/** «ogni lunedì alle 9 e giovedì alle 15», «mercoledì fra due settimane»; «3 dicembre giovedì» is one day. */
function contradicts({ slots, today }: Reading, { rule, values, first }: Match, last: Last): boolean {
  if (slots.has('recurrence')) return ['date', 'time', 'recurrence'].includes(rule.group)
  const named = slots.get('day')
  if (last.group !== 'date' || last.end !== first || rule.group !== 'date' || !named) return false
  const former = dayOf(named.rule.op, named.values, today)?.day
  if (former === undefined || former === dayOf(rule.op, values, today)?.day) return false
  return weekdayOf(former) !== values.wd
}

function answer(text: string, reading: Reading): Parsed {
  const due = dueOf(reading)
  const someday = reading.slots.has('someday') && due === null
  const parts = reading.parts.filter(({ kind }) => someday || kind !== 'someday')
  const every = reading.slots.get('recurrence')?.values
  return {
    title: titleOf(text, parts),
    parts,
    due,
    all_day: !due?.includes('T'),
    rrule: every ? rruleOf(every) : null,
    repeat_from: every?.repeat_from ? 'completamento' : 'scadenza',
    priority: numberOf(reading.slots.get('priority')?.values ?? {}, 'level'),
    contact: reading.names.contact ?? null,
    project: reading.names.project ?? null,
    someday,
  }
}

/** The day and time that all parts together mean. */
function dueOf({ now, today, minutes, slots }: Reading): string | null {
  const hour = slots.get('hour')
  if (hour?.rule.op === 'wait') {
    const later = numberOf(hour.values, 'n') * numberOf(hour.values, 'minutes') + numberOf(hour.values, 'plus')
    return wallTime(new Date(now.getTime() + later * 60_000))
  }
  const part = [...slots.values()].map(({ values }) => values.part).find((each) => typeof each === 'string')
  const [begins = 0, ends = 24] = PARTS[part ?? ''] ?? []
  const time = hour ? clockOf(hour.values, part) : part ? begins * 60 : null
  const named = slots.get('day')
  const every = slots.get('recurrence')
  if (time === null && !named && !every) return null
  const gone = time !== null && time <= minutes
  // An afternoon that has begun is still today, at no hour.
  const vague = gone && !hour
  const begun = gone && !(vague && minutes < ends * 60) ? today + 1 : today
  const day = named ? dayNamed(named, today, gone || (time === null && !named.values.this)) : begun
  // «stanotte alle 2».
  const night = gone && hour && named && part === 'night' && day === today ? day + 1 : day
  const first = every ? firstOf(every.values, night) : night
  return time === null || (vague && first === today) ? isoDay(first) : stamp(first, time)
}

function dayNamed({ rule, values }: Match, today: number, over: boolean): number {
  const found = dayOf(rule.op, values, today)
  return (over ? found?.instead : undefined) ?? found?.day ?? today
}

/** What is left; a comma between two parts goes with them. */
function titleOf(text: string, parts: Part[]): string {
  let title = ''
  let at = 0
  for (const { start, end } of [...parts, { start: text.length, end: text.length }]) {
    let piece = text.slice(at, start).trim().replaceAll(/\s+/g, ' ')
    if (at && /^[.…]*$/.test(piece)) piece = ''
    if (at && title.endsWith('(') && piece.startsWith(')')) {
      title = title.slice(0, -1).trimEnd()
      piece = piece.slice(1)
    }
    if (at && /(?:^|[,;:(–-])$/.test(title)) piece = piece.replace(/^[,;:.–\- ]+/, '')
    title = `${title}${/^(?:$|[,;:.)!?])/.test(piece) ? '' : ' '}${piece}`.trim()
    at = end
  }
  let length = title.length
  while (parts.length > 0 && ' ,;:–-'.includes(title.charAt(length - 1)) && length > 0) length -= 1
  return title.slice(0, length)
}
