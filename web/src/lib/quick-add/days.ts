/**
 * From what a rule read to a day, an hour or a repetition; null for what does not exist.
 *
 * A day is a count of days since 1970: no time zone can move it.
 */
import type { Value, Values } from './rules'

const DAY_MS = 86_400_000
export const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const FREQ: Record<string, string> = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' }
const SEARCH_DAYS = 366 * 9

/** The day, and the one that is meant instead if the day is today and its hour has gone. */
type Day = { day: number; instead?: number | undefined }

/** A whole number among the values. */
export function numberOf(values: Values, name: string, otherwise = 0): number {
  const value = values[name]
  return typeof value === 'number' ? value : otherwise
}

/** Months beyond December count on, day 0 is the last of the month before. */
const dayNumber = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day) / DAY_MS

/** Year, month and day of the month. */
export function civil(day: number): [number, number, number] {
  const date = new Date(day * DAY_MS)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
}

/** YYYY-MM-DD. */
export const isoDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** HH:MM. */
export const clockText = (minutes: number) => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`

/** YYYY-MM-DDTHH:MM. */
export const stamp = (day: number, minutes: number) => `${isoDay(day)}T${clockText(minutes)}`

/** The day and the minutes of a wall time, 0 if there are none. */
export function readWall(wall: string): { today: number; minutes: number } {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = wall.split(/[-T:]/).map(Number)
  return { today: dayNumber(year, month, day), minutes: hour * 60 + minute }
}

/** Monday is 0. */
export const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7

/** The date, or null if that month has no such day. */
function make(year: number, month: number, day: number): number | null {
  const made = dayNumber(year, month, day)
  return civil(made)[2] === day ? made : null
}

const lastOf = (year: number, month: number) => dayNumber(year, month + 1, 0)

function add(today: number, count: number, unit: string): number {
  if (unit === 'workday') {
    let day = today
    for (let left = count; left > 0; left -= 1) day += weekdayOf(day) > 3 ? 7 - weekdayOf(day) : 1
    return day
  }
  if (unit === 'day' || unit === 'week') return today + count * (unit === 'week' ? 7 : 1)
  const [year, month, day] = civil(today)
  const later = month + count * (unit === 'year' ? 12 : 1)
  return make(year, later, day) ?? lastOf(year, later)
}

const READERS: Record<string, (values: Values, today: number) => Day | null> = {
  in: (values, today) => ({ day: add(today, numberOf(values, 'n'), String(values.unit)) }),
  weekday,
  monthday,
  date: calendarDay,
  nth: (values, today) => {
    const [month, place, wd] = ['month', 'nth', 'wd'].map((name) => numberOf(values, name)) as [number, number, number]
    return coming(today, 2, (later) => nthOf(civil(today)[0] + later, month, place, wd))
  },
  edge,
}

/** The day of a date rule. */
export const dayOf = (op: string, values: Values, today: number) => READERS[op]?.(values, today) ?? null

function coming(today: number, tries: number, make_: (later: number) => number | null): Day | null {
  for (let later = 0; later < tries; later += 1) {
    const day = make_(later)
    if (day !== null && day >= today) return { day }
  }
  return null
}

function weekday(values: Values, today: number): Day {
  const wd = numberOf(values, 'wd')
  const ahead = (wd - weekdayOf(today) + 7) % 7
  if (values.weeks) return { day: today + 7 - weekdayOf(today) + wd }
  if (values.ahead) return { day: today + (ahead || 7) }
  return { day: today + ahead, instead: ahead ? undefined : today + 7 }
}

function monthday(values: Values, today: number): Day | null {
  const [year, month] = civil(today)
  const wanted = numberOf(values, 'day')
  if (values.months) {
    const day = make(year, month + 1, wanted)
    return day === null ? null : { day }
  }
  const found = coming(today, 4, (later) => make(year, month + later, wanted))
  if (!found || ('wd' in values && weekdayOf(found.day) !== values.wd)) return null
  if (found.day !== today) return found
  return { day: today, instead: coming(today + 1, 4, (later) => make(year, month + later, wanted))?.day }
}

function calendarDay(values: Values, today: number): Day | null {
  const feast = numberOf(values, 'md')
  const month = feast ? Math.floor(feast / 100) : numberOf(values, 'month')
  const day = feast ? feast % 100 : numberOf(values, 'day')
  const [thisYear] = civil(today)
  const year = numberOf(values, 'year')
  // What lies further back is the date of something else.
  const found = year
    ? coming(dayNumber(thisYear - 1, 1, 1), 1, () => make(year, month, day))
    : coming(today, 9, (later) => make(thisYear + later, month, day))
  return found && 'wd' in values && weekdayOf(found.day) !== values.wd ? null : found
}

/** The first, second … or (-1) last such weekday of a month. */
function nthOf(year: number, month: number, place: number, wd: number): number | null {
  const start = place > 0 ? dayNumber(year, month, 1) : lastOf(year, month) - 6
  const day = start + ((wd - weekdayOf(start) + 7) % 7) + (place > 0 ? 7 * (place - 1) : 7 * (place + 1))
  return civil(day)[1] === civil(dayNumber(year, month, 1))[1] ? day : null
}

/** The beginning, middle or end of a week, month or year; one that has gone is the next one's. */
function edge(values: Values, today: number): Day | null {
  const [thisYear, thisMonth] = civil(today)
  const which = String(values.edge)
  const ahead = numberOf(values, 'ahead')
  const ofMonth = (year: number, month: number) =>
    which === 'end' ? lastOf(year, month) : dayNumber(year, month, which === 'start' ? 1 : 15)
  if (values.month) {
    const year = numberOf(values, 'year', thisYear)
    return coming(today, values.year ? 1 : 2, (later) => ofMonth(year + later, numberOf(values, 'month')))
  }
  if (values.span === 'month') return coming(today, 2, (later) => ofMonth(thisYear, thisMonth + ahead + later))
  if (values.span === 'week') {
    const place = which === 'start' ? 0 : which === 'mid' ? 2 : 6
    return coming(today, 2, (later) => today - weekdayOf(today) + 7 * (ahead + later) + place)
  }
  if (which === 'mid') return null
  return coming(today, 2, (later) =>
    dayNumber(thisYear + ahead + later + (which === 'end' ? 1 : 0), 1, which === 'end' ? 0 : 1),
  )
}

/** Minutes of the day: «alle 3» is the afternoon, «alle 8 di sera» 20:00, midnight the last minute of its day. */
export function clockOf(values: Values, part?: string): number | null {
  let hour = numberOf(values, 'hour')
  const minute = numberOf(values, 'minute')
  if (hour === 24) return minute ? null : 24 * 60 - 1
  // «le 6.42» is how timetables write, «le 6.40» may be said of an evening.
  const exact = values.exact ?? minute % 5 > 0
  if (part && part !== 'morning' && hour > 0 && hour < 12) hour += part === 'night' && hour < 7 ? 0 : 12
  else if (!part && hour > 0 && hour < 7 && !exact) hour += 12
  const minutes = hour * 60 + minute - numberOf(values, 'less')
  return minutes < 0 ? null : minutes
}

const weekdays = (value: Value | undefined) => (Array.isArray(value) ? value : typeof value === 'number' ? [value] : [])

function fallsOn(rule: Values, day: number): boolean {
  const days = weekdays(rule.wd)
  const [year, month, monthDay] = civil(day)
  if (rule.nth) return nthOf(year, month, numberOf(rule, 'nth'), days[0] ?? 0) === day
  if (rule.day) {
    const wanted = numberOf(rule, 'day')
    return month === numberOf(rule, 'month', month) && (wanted > 0 ? monthDay === wanted : day === lastOf(year, month))
  }
  return days.length === 0 || days.includes(weekdayOf(day))
}

/** The first day of a repetition, not before `start`. */
export function firstOf(rule: Values, start: number): number {
  for (let day = start; day < start + SEARCH_DAYS; day += 1) if (fallsOn(rule, day)) return day
  return start
}

/** The repetition as RFC 5545 writes it. */
export function rruleOf(rule: Values): string {
  const freq = FREQ[String(rule.unit)]
  const interval = numberOf(rule, 'n')
  const fields = {
    FREQ: freq,
    INTERVAL: interval > 1 && interval,
    BYDAY: weekdays(rule.wd)
      .map((each) => `${numberOf(rule, 'nth') || ''}${CODES[each]}`)
      .join(),
    BYMONTHDAY: freq === 'MONTHLY' && rule.day,
    UNTIL: rule.until,
    COUNT: rule.count,
  }
  return Object.entries(fields)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(';')
}
