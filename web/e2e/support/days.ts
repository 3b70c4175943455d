/** The day in Italy so many days from today, as the database writes it: 2026-11-25. */
export function daysFromNow(days: number): string {
  const day = new Date(`${new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Rome' }).format(new Date())}T12:00:00Z`)
  day.setUTCDate(day.getUTCDate() + days)
  return day.toISOString().slice(0, 10)
}
