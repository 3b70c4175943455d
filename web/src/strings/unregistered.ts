/** What the register of invoices waits for, in words. */
import type { UnregisteredDocument } from '@/data/unregistered'
import { fieldLabel } from '@/strings/document-fields'
import { formatCount, formatMoney } from '@/strings/numbers'

const gaps: Record<string, string> = {
  kind: 'Tipo di documento da confermare',
  pages: 'Alcune pagine non si leggono',
  direction: 'Non si capisce se la paghi o la incassi tu',
  own_vat: 'Manca la tua P.IVA nei dati fiscali',
}

/** «Numero: manca», «Totale: da confermare»: a gap of unregistered_documents(). */
export function gapText(gap: string): string {
  if (gaps[gap]) return gaps[gap]
  return gap.startsWith('no_') ? `${fieldLabel(gap.slice(3))}: manca` : `${fieldLabel(gap)}: da confermare`
}

/** «2 documenti non ancora registrati, 1.022,80 € e 1 senza importo». */
export function leftOutText(documents: readonly Pick<UnregisteredDocument, 'total_cents' | 'currency'>[]): string {
  const known = documents.filter(({ total_cents: cents }) => cents !== null)
  const amounts = [...Map.groupBy(known, ({ currency }) => currency)].map(([currency, own]) =>
    formatMoney(
      own.reduce((sum, { total_cents: cents }) => sum + (cents ?? 0), 0),
      currency,
    ),
  )
  const without = documents.length - known.length
  const count =
    documents.length === 1
      ? '1 documento non ancora registrato'
      : `${formatCount(documents.length)} documenti non ancora registrati`
  const sum = amounts.length > 0 ? `, ${amounts.join(' e ')}` : ''
  if (without === 0) return count + sum
  return known.length === 0 ? `${count}, senza importo` : `${count}${sum} e ${formatCount(without)} senza importo`
}
