/**
 * Between instants, as the database keeps them, and the clock on the wall in Italy, as people say them; the time zone of
 * the browser plays no part. A wall time is written `YYYY-MM-DDTHH:MM`, a day `YYYY-MM-DD`.
 */

const HOUR_MS = 3_600_000
// The Swedish way of writing a date is the ISO one.
const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Rome', dateStyle: 'short', timeStyle: 'short' })

/** What the clock in Italy shows at `instant`. */
export function wallTime(instant: string | Date): string {
  return clock.format(new Date(instant)).replace(' ', 'T')
}

/** The day it is in Italy at `instant`. */
export function romeDay(instant: string | Date): string {
  return wallTime(instant).slice(0, 10)
}

/**
 * The instant, in ISO 8601, at which the clock in Italy shows `wall` (a wall time, or a day for its midnight). An hour
 * that exists twice is its first, one that is skipped in March is an hour later.
 */
export function instantOf(wall: string): string {
  const asUtc = Date.parse(`${wall.length === 10 ? `${wall}T00:00` : wall}:00Z`)
  const summer = new Date(asUtc - 2 * HOUR_MS)
  const isSummer = Date.parse(`${wallTime(summer)}:00Z`) === asUtc
  return (isSummer ? summer : new Date(asUtc - HOUR_MS)).toISOString()
}

/** The day `count` days after `day`, before it when negative. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** The first day of the month `count` months after the one of `day`. */
export function addMonths(day: string, count: number): string {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + count)
  return date.toISOString().slice(0, 10)
}

/** The Monday of the week of `day`. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
}
