/** A plan of the catalogue in words, as the landing page and the store say it. */
import type { Plan } from '@/data/catalog'
import { withState } from '@/strings/capabilities'
import { formatCredits, formatEuro } from '@/strings/numbers'

export const planPeriods: Record<Plan['period'], string> = {
  forever: 'per sempre',
  month: 'al mese',
  year: 'all’anno',
}

/** «0 €», «9,99 €»: nothing is a round figure. */
export const planPrice = ({ price_cents }: Plan): string => (price_cents === 0 ? '0 €' : formatEuro(price_cents))

/** «100 crediti alla registrazione» of a plan without end, otherwise «500 crediti al mese». */
export function planCredits({ credits, period }: Plan): string {
  return `${formatCredits(credits)} crediti ${period === 'forever' ? 'alla registrazione' : 'al mese'}`
}

export const planFeatures = ({ features }: Plan): string[] => features.map(withState)
