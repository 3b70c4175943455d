/** The arithmetic of the time-waste story: minutes a day become hours and euros a year. */

/** Days worked in a year: 52 weeks of five days without holidays and feasts. */
export const WORKING_DAYS = 220
/** What part of it the page assumes Socio to give back: deliberately small. */
const RECOVERED_SHARE = 1 / 3

export type Habit = { key: string; label: string; minutes: number }

export const habits: readonly Habit[] = [
  { key: 'cercare', label: 'Cercare messaggi e documenti', minutes: 25 },
  { key: 'rispondere', label: 'Riscrivere le stesse risposte', minutes: 30 },
  { key: 'rincorrere', label: 'Rincorrere scadenze e incassi', minutes: 20 },
]

export const HOURLY_RATE = 30

export type LostTime = { hours: number; euros: number; recoveredHours: number; recoveredEuros: number }

/** In a year, whole hours and whole euros. */
export function lostTime(minutesPerDay: number, hourlyRate: number): LostTime {
  const hours = (minutesPerDay / 60) * WORKING_DAYS
  return {
    hours: Math.round(hours),
    euros: Math.round(hours * hourlyRate),
    recoveredHours: Math.round(hours * RECOVERED_SHARE),
    recoveredEuros: Math.round(hours * RECOVERED_SHARE * hourlyRate),
  }
}
