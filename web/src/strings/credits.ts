/** Italian words for what happens to credits. */
import type { CreditPrice } from '@/data/catalog'
import type { Entry } from '@/data/credits'
import type { Enums } from '@/data/tables'
import { formatCredits } from '@/strings/numbers'

const lotKinds: Record<Enums<'credit_lot_kind'>, string> = {
  acquisto: 'Acquisto',
  bonus: 'Bonus',
  benvenuto: 'Benvenuto',
  piano: 'Piano',
  rettifica: 'Rettifica',
}

const grants: Record<Enums<'credit_lot_kind'>, string> = {
  acquisto: 'Acquisto di crediti',
  bonus: 'Crediti bonus',
  benvenuto: 'Crediti di benvenuto',
  piano: 'Crediti del piano',
  rettifica: 'Rettifica',
}

export const orderStates: Record<Enums<'order_state'>, string> = {
  pending: 'In attesa di pagamento',
  fulfilled: 'Accreditato',
  failed: 'Pagamento non riuscito',
  expired: 'Non completato',
  review: 'In verifica',
  refunded: 'Rimborsato',
  disputed: 'Contestato',
}

/** «Acquisto del 20 novembre 2026» without its date: who shows it knows how. */
export const lotName = (kind: Enums<'credit_lot_kind'>): string => lotKinds[kind]

/** What an entry of the statement is about; `prices` know the names of what credits were used for. */
export function entryTitle(entry: Entry, prices: CreditPrice[]): string {
  switch (entry.kind) {
    case 'grant':
      return grants[entry.lot_kind]
    case 'settle':
      return prices.find(({ action }) => action === entry.ref_type)?.name ?? 'Uso delle funzioni IA'
    case 'expire':
      return 'Crediti scaduti'
    case 'extend':
      return 'Scadenza prorogata'
    case 'refund':
      return entry.amount > 0 ? 'Crediti restituiti' : 'Crediti rimborsati'
    case 'adjust':
      return entry.reason ? `Rettifica: ${entry.reason}` : 'Rettifica'
  }
}

/** «+100», «−3», «0». */
export function signed(amount: number): string {
  if (amount === 0) return '0'
  return `${amount > 0 ? '+' : '−'}${formatCredits(Math.abs(amount))}`
}

/** «1 credito», «20 crediti». */
export const credits = (count: number): string => `${formatCredits(count)} ${count === 1 ? 'credito' : 'crediti'}`

/** What an action costs: «gratis», «2 crediti», «5-10 crediti». */
export function priceOf({ min_credits: min, max_credits: max }: CreditPrice): string {
  if (max === 0) return 'gratis'
  return min === max ? credits(max) : `${formatCredits(min)}–${credits(max)}`
}
