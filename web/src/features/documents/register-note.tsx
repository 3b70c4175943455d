/** Of an invoice that was just read: what the register made of it. */
import { useQuery } from '@tanstack/react-query'

import { invoicesOfQuery } from '@/data/invoices'
import { unregisteredQuery } from '@/data/unregistered'
import { shortDate } from '@/strings/dates'
import { formatMoney } from '@/strings/numbers'
import { gapText } from '@/strings/unregistered'

export function RegisterNote({ userId, documentId }: { userId: string; documentId: string }) {
  const { data: invoices = [] } = useQuery(invoicesOfQuery(userId, documentId))
  const { data: waiting = [] } = useQuery(unregisteredQuery(userId))
  const gaps = waiting.find(({ document_id: id }) => id === documentId)?.gaps ?? []
  if (invoices.length === 0 && gaps.length === 0) return null
  return (
    <p className="text-sm text-muted-foreground">
      {invoices.length > 0
        ? invoices.map((invoice) => (
            <span key={invoice.id} className="block">
              Nel registro: {formatMoney(invoice.payable_cents, invoice.currency)}
              {invoice.direction === 'attiva' ? ' da incassare' : ' da pagare'}
              {invoice.counterparty_name && ` · ${invoice.counterparty_name}`}
              {invoice.next_due_on && ` · scade il ${shortDate(invoice.next_due_on)}`}
            </span>
          ))
        : `Non ancora nel registro: ${gaps.map(gapText).join(' · ')}`}
    </p>
  )
}
