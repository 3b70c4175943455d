/** A plan of the catalogue in words, as the landing page and the store say it. */
import type { Plan } from '@/data/catalog'
import { formatCredits } from '@/strings/numbers'

export const planPeriods: Record<Plan['period'], string> = {
  forever: 'per sempre',
  month: 'al mese',
  year: 'all’anno',
}

/** «100 crediti alla registrazione» of a plan without end, otherwise «500 crediti al mese». */
export function planCredits({ credits, period }: Plan): string {
  return `${formatCredits(credits)} crediti ${period === 'forever' ? 'alla registrazione' : 'al mese'}`
}

/** Features that the catalogue names and the roadmap has not delivered yet. */
export const ANNOUNCED_FEATURES: readonly string[] = [
  'Email e WhatsApp collegati',
  'Obiettivi autonomi con supervisore etico',
]

export function planFeatures({ features }: Plan): string[] {
  return features.map((feature) => (ANNOUNCED_FEATURES.includes(feature) ? `${feature} (in arrivo)` : feature))
}
