/** The register: a table on a desk, cards on a phone. */
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { type RegisteredInvoice, useMarkInvoicePaid } from '@/data/invoices'
import { nextDue } from '@/features/invoices/months'
import { isPayable, signedCents } from '@/lib/invoice-amounts'
import { romeDay } from '@/lib/rome-time'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'
import { formatMoney } from '@/strings/numbers'

type Props = { invoices: RegisteredInvoice[]; userId: string; today: string; isIncoming: boolean }

export function InvoiceList({ invoices, userId, today, isIncoming }: Props) {
  const pay = useMarkInvoicePaid(userId)
  const word = isIncoming ? 'incassata' : 'pagata'

  // Not by the callbacks of `mutate`: with its last invoice this list is gone before they are called.
  async function mark(id: string, paidOn: string | null): Promise<boolean> {
    try {
      await pay.mutateAsync({ id, paidOn })
      return true
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
      return false
    }
  }

  async function markPaid({ id, number }: RegisteredInvoice) {
    if (!(await mark(id, romeDay(new Date())))) return
    toast.success(`Fattura ${number} segnata come ${word}`, {
      action: { label: 'Annulla', onClick: () => void mark(id, null) },
    })
  }

  return (
    <ul aria-label="Fatture" className="divide-y rounded-md border bg-card">
      {invoices.map((invoice) => {
        const { id, document_id: documentId, number, issued_on: day, type_code: type, paid_on: paidOn } = invoice
        const due = nextDue(invoice)
        const isLate = !paidOn && due !== null && due < today
        return (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 text-sm md:grid-cols-[minmax(0,1fr)_10rem_8rem_9rem]"
          >
            <div className="grid min-w-0 grid-cols-1 gap-0.5">
              <Link to={paths.document(documentId)} className="font-medium break-words hover:underline">
                {invoice.contact?.name ?? invoice.counterparty_name ?? 'Senza nome'}
              </Link>
              <span className="break-words text-muted-foreground">
                {codeWords('documents', type) || 'Fattura'} {number}
                {day && ` del ${shortDate(day)}`}
                {invoice.twin && ` · ce l’hai già in ${invoice.twin.filename}`}
              </span>
            </div>
            <span className={`max-md:order-3 ${isLate ? 'font-medium text-error' : 'text-muted-foreground'}`}>
              {paidOn
                ? `✓ ${word} il ${shortDate(paidOn)}`
                : due
                  ? `${isLate ? 'Scaduta il' : 'Scade il'} ${shortDate(due)}`
                  : isPayable(type)
                    ? 'Senza scadenza'
                    : 'Non si paga'}
            </span>
            <span className="text-right text-base font-semibold tabular md:text-sm">
              {formatMoney(signedCents(type, invoice.due_cents ?? invoice.total_cents), invoice.currency)}
            </span>
            <span className="text-right max-md:order-4">
              {paidOn ? (
                <Button variant="ghost" size="sm" disabled={pay.isPending} onClick={() => void mark(id, null)}>
                  Non ancora
                </Button>
              ) : isPayable(type) ? (
                <Button variant="outline" size="sm" disabled={pay.isPending} onClick={() => void markPaid(invoice)}>
                  Segna {word}
                  <span className="sr-only">
                    {' '}
                    la fattura {number} di {invoice.counterparty_name}
                  </span>
                </Button>
              ) : null}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
