import type { InvoiceContent } from '@/data/invoice-content'
import { moneyText } from '@/features/document/paper/figures'
import { dayAndMonth } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'

/** How and until when it is to be paid. */
export function Payments({ content: { installments, currency } }: { content: InvoiceContent }) {
  if (installments.length === 0) return null
  return (
    <section className="grid gap-1.5">
      <h3 className="text-xs font-medium text-muted-foreground">Pagamento</h3>
      <ul className="divide-y border-t text-sm">
        {installments.map(
          ({
            no,
            method,
            due_on: due,
            due_by_terms: isCounted,
            terms_days: days,
            amount_cents: cents,
            iban,
            bank,
            beneficiary,
          }) => (
            <li key={no} className="flex items-start justify-between gap-4 py-2">
              <div className="grid min-w-0 grid-cols-1 gap-0.5 break-words">
                <span className="font-medium">
                  {due ? `Scade il ${dayAndMonth(due)}` : 'Senza scadenza'}
                  {isCounted && days !== null && (
                    <span className="font-normal text-muted-foreground"> ({days} giorni)</span>
                  )}
                </span>
                <span className="text-muted-foreground">
                  {[codeWords('methods', method), bank, beneficiary && `a ${beneficiary}`].filter(Boolean).join(' · ')}
                </span>
                {iban && <span className="break-all tabular">IBAN {iban}</span>}
              </div>
              <span className="whitespace-nowrap tabular">{moneyText(cents, currency)}</span>
            </li>
          ),
        )}
      </ul>
    </section>
  )
}
