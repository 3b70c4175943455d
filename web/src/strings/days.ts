/** Days as Italian text without date-fns (7 KB): for the public pages, and the same in Node and in every browser. */

const format = new Intl.DateTimeFormat('it-IT', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** «21 novembre 2026» of «2026-11-21». */
export function longDay(day: string): string {
  return format.format(new Date(`${day}T00:00:00Z`))
}

const month = new Intl.DateTimeFormat('it-IT', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** «nov 2026» of a day of that month. */
export function shortMonth(day: string): string {
  return month.format(new Date(`${day}T00:00:00Z`))
}
