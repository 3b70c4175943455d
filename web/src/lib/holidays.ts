/** The public holidays of Italy by name. A day is written `YYYY-MM-DD`, as in the database. */

const FIXED: Record<string, string> = {
  '01-01': 'Capodanno',
  '01-06': 'Epifania',
  '04-25': 'Festa della Liberazione',
  '05-01': 'Festa dei Lavoratori',
  '06-02': 'Festa della Repubblica',
  '08-15': 'Ferragosto',
  '11-01': 'Ognissanti',
  '12-08': 'Immacolata',
  '12-25': 'Natale',
  '12-26': 'Santo Stefano',
}

/** Saint Francis is a national holiday again from 2026 on (law 151/2025). */
const SAINT_FRANCIS_SINCE = 2026

/** The name of the holiday on `day`, or null for a day like others. Patron saints of towns are not among them. */
export function holidayName(day: string): string | null {
  const year = Number(day.slice(0, 4))
  const monthAndDay = day.slice(5)
  if (monthAndDay === '10-04' && year >= SAINT_FRANCIS_SINCE) return 'San Francesco'
  const fixed = FIXED[monthAndDay]
  if (fixed) return fixed
  const sinceEaster = daysSinceEaster(day, year)
  if (sinceEaster === 0) return 'Pasqua'
  return sinceEaster === 1 ? 'Lunedì dell’Angelo' : null
}

function daysSinceEaster(day: string, year: number): number {
  return Math.round((Date.parse(`${day}T00:00:00Z`) - easterOf(year)) / 86_400_000)
}

/** Easter Sunday as a UTC time in ms, by the Gregorian reckoning that Butcher's Ecclesiastical Calendar (1876) prints. */
function easterOf(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const leapCenturies = Math.floor(century / 4)
  const moon =
    (19 * golden + century - leapCenturies - Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) + 15) % 30
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - moon - ((year % 100) % 4)) % 7
  const late = Math.floor((golden + 11 * moon + 22 * sunday) / 451)
  const place = moon + sunday - 7 * late + 114
  return Date.UTC(year, Math.floor(place / 31) - 1, (place % 31) + 1)
}
