/** The register: a table on a desk, cards on a phone. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { RemindByMail } from '@/components/remind-by-mail'
import { Button } from '@/components/ui/button'
import { type RegisteredInvoice, useMarkInvoicePaid } from '@/data/invoices'
import { mailAccountQuery } from '@/data/mail'
import { romeDay } from '@/lib/rome-time'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'
import { formatMoney } from '@/strings/numbers'

type Props = { invoices: RegisteredInvoice[]; userId: string; isIncoming: boolean }

export function InvoiceList({ invoices, userId, isIncoming }: Props) {
  const pay = useMarkInvoicePaid(userId)
  const { data: account } = useQuery({ ...mailAccountQuery(userId), enabled: isIncoming })
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
        const { id, document_id: documentId, number, issued_on: day, kind, paid_on: paidOn, currency } = invoice
        const due = invoice.next_due_on
        const isLate = invoice.state === 'scaduta'
        const isPayable = kind !== 'autofattura'
        const payable = isPayable ? invoice.payable_cents : invoice.total_cents
        // As the totals above count it: of an open invoice what is left to pay.
        const cents = isPayable && !paidOn ? invoice.open_cents : payable
        return (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 text-sm md:grid-cols-[minmax(0,1fr)_10rem_8rem_9rem]"
          >
            <div className="grid min-w-0 grid-cols-1 gap-0.5">
              <Link to={paths.document(documentId)} className="font-medium break-words hover:underline">
                {invoice.contact_name ?? invoice.counterparty_name ?? 'Senza nome'}
              </Link>
              <span className="break-words text-muted-foreground">
                {codeWords('documents', invoice.type_code) || 'Fattura'} {number}
                {day && ` del ${shortDate(day)}`}
                {invoice.is_automatic && ' · registrata da sola'}
                {invoice.twin && ` · ce l’hai già in ${invoice.twin.filename}`}
              </span>
            </div>
            <span className={`max-md:order-3 ${isLate ? 'font-medium text-error' : 'text-muted-foreground'}`}>
              {paidOn
                ? `✓ ${word} il ${shortDate(paidOn)}`
                : due
                  ? `${isLate ? 'Scaduta il' : 'Scade il'} ${shortDate(due)}`
                  : isPayable
                    ? 'Senza scadenza'
                    : 'Non si paga'}
            </span>
            <span className="text-right text-base font-semibold tabular md:text-sm">
              {formatMoney(cents, currency)}
              {cents !== payable && (
                <span className="block text-xs font-normal text-muted-foreground">
                  di {formatMoney(payable, currency)}
                </span>
              )}
            </span>
            <span className="flex flex-col items-end gap-1 max-md:order-4">
              {account && isLate && invoice.contact_id && due && (
                <RemindByMail invoice={invoice} contactId={invoice.contact_id} dueOn={due} />
              )}
              {paidOn ? (
                <Button variant="ghost" size="sm" disabled={pay.isPending} onClick={() => void mark(id, null)}>
                  Non ancora
                </Button>
              ) : isPayable ? (
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
