/** What a contact owes and is owed, what was invoiced and paid this year, and the invoices behind it. */
import { useQuery } from '@tanstack/react-query'
import { differenceInCalendarDays } from 'date-fns'
import { useState } from 'react'
import { Link } from 'react-router'

import { Choice } from '@/components/choice'
import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { UnregisteredLine } from '@/components/unregistered-line'
import type { WholeContact } from '@/data/contacts'
import {
  contactMoneyQuery,
  type InvoiceAbout,
  invoicesAboutQuery,
  type InvoiceState,
  type MoneySum,
  sumsOf,
  unlinkedInvoicesQuery,
} from '@/data/contacts-money'
import { type Names, Whose } from '@/features/crm/papers-section'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { formatMoney } from '@/strings/numbers'

const link = 'text-sm font-medium text-primary hover:underline'

type Props = { contact: WholeContact; contactIds: readonly string[]; names: Names }

export function ContactMoney({ contact, contactIds, names }: Props) {
  const query = useQuery(contactMoneyQuery(contact.id))
  const { data: rows, isPending, isError, refetch } = query
  const sums = sumsOf((rows ?? []).filter(({ contact_id: id }) => contactIds.includes(id)))
  const company = (rows ?? []).filter(({ relation, direction }) => relation === 'azienda' && direction === 'attiva')
  return (
    <Card>
      <CardTitle>Fatture e pagamenti</CardTitle>
      {isPending && <Skeleton aria-busy className="h-24" />}
      {isError && !rows && <LoadError text="Non riusciamo a leggere gli importi." onRetry={() => void refetch()} />}
      {rows && sums.length === 0 && (
        <p className="text-sm text-muted-foreground">Nessuna fattura con {contact.name}.</p>
      )}
      <UnregisteredLine userId={contact.user_id} contactIds={contactIds} />
      {sums.map((sum) => (
        <Sum key={sum.direction + sum.currency} sum={sum} />
      ))}
      {company.map(({ contact_id: id, currency, open_cents: cents }) =>
        cents === 0 ? null : (
          <p key={currency} className="text-sm">
            <Link to={paths.crmContact(id)} className="font-medium hover:underline">
              Alla sua azienda
            </Link>
            : <span className="tabular">{formatMoney(cents, currency)}</span> aperti
          </p>
        ),
      )}
      {sums.length > 0 && <Invoices contactIds={contactIds} names={names} />}
      <Unlinked contact={contact} />
      {['attiva', 'passiva'].map(
        (direction) =>
          sums.some((sum) => sum.direction === direction) && (
            <Link
              key={direction}
              to={paths.invoicesOf(contact.id, direction === 'attiva' ? 'attive' : 'passive')}
              className={link}
            >
              {direction === 'attiva' ? 'Tutte le fatture' : 'Tutte le fatture ricevute'}
            </Link>
          ),
      )}
    </Card>
  )
}

function openLabel({ direction, open_cents: cents }: MoneySum): string {
  // A credit note that is larger than what is open goes the other way.
  if (direction === 'attiva') return cents < 0 ? 'Da rimborsare' : 'Ti deve'
  return cents < 0 ? 'Ti deve rimborsare' : 'Devi pagare'
}

function Sum({ sum }: { sum: MoneySum }) {
  const { direction, currency, open_cents: cents, late_cents: late, late_since: since } = sum
  const money = (amount: number) => formatMoney(amount, currency)
  const isIncoming = direction === 'attiva'
  const days = sum.paid_count > 0 ? Math.round(sum.paid_days / sum.paid_count) : null
  return (
    <section aria-label={`${isIncoming ? 'Fatture emesse' : 'Fatture ricevute'} in ${currency}`} className="grid gap-2">
      <p>
        <span className="block text-sm text-muted-foreground">{openLabel(sum)}</span>
        <span className="text-2xl font-semibold tabular">{money(Math.abs(cents))}</span>
        {late !== 0 && since && (
          <span className="block text-sm font-medium text-error">
            di cui {money(late)} in ritardo, da {lateDays(since)}
          </span>
        )}
      </p>
      <dl className="grid gap-1 text-sm">
        <Fact
          label={isIncoming ? 'Fatturato quest’anno' : 'Comprato quest’anno'}
          value={`${money(sum.invoiced_net_cents)} netti`}
          detail={`${money(sum.invoiced_cents)} con IVA`}
        />
        <Fact label={isIncoming ? 'Incassato quest’anno' : 'Pagato quest’anno'} value={money(sum.paid_cents)} />
        {days !== null && (
          <Fact
            label={isIncoming ? 'Paga in media in' : 'Paghi in media in'}
            value={days === 1 ? 'un giorno' : `${days} giorni`}
          />
        )}
      </dl>
    </section>
  )
}

function lateDays(since: string): string {
  const days = differenceInCalendarDays(new Date(), new Date(since))
  return days === 1 ? 'un giorno' : `${days} giorni`
}

function Fact({ label, value, detail }: { label: string; value: string; detail?: string }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-3">
      <dt className="text-muted-foreground">{label}</dt>
      <dd className="text-right tabular">
        {value}
        {detail && <span className="block text-xs text-muted-foreground">{detail}</span>}
      </dd>
    </div>
  )
}

const states: readonly (readonly [InvoiceState, string])[] = [
  ['aperte', 'Aperte'],
  ['scadute', 'In ritardo'],
  ['pagate', 'Pagate'],
]
const nothing: Record<InvoiceState, string> = {
  aperte: 'Nessuna fattura aperta.',
  scadute: 'Nessuna fattura in ritardo.',
  pagate: 'Nessuna fattura pagata.',
}

function Invoices({ contactIds, names }: { contactIds: readonly string[]; names: Names }) {
  const [state, setState] = useState<InvoiceState>('aperte')
  const { data, isPending, isError, refetch } = useQuery(invoicesAboutQuery(contactIds, state))
  const rest = data ? data.count - data.invoices.length : 0
  return (
    <div className="grid gap-2 border-t pt-4">
      <Choice isSmall label="Quali fatture" value={state} options={states} onChange={setState} />
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !data && <LoadError text="Non riusciamo a leggere le fatture." onRetry={() => void refetch()} />}
      {data?.count === 0 && <p className="text-sm text-muted-foreground">{nothing[state]}</p>}
      {data && data.count > 0 && (
        <ul aria-label="Fatture" className="divide-y">
          {data.invoices.map((invoice) => (
            <InvoiceLine key={invoice.id} invoice={invoice} names={names} />
          ))}
        </ul>
      )}
      {rest > 0 && <p className="text-sm text-muted-foreground">{rest === 1 ? 'e un’altra' : `e altre ${rest}`}</p>}
    </div>
  )
}

function InvoiceLine({ invoice, names }: { invoice: InvoiceAbout; names: Names }) {
  const { document_id: documentId, number, kind, direction, issued_on: day, currency, paid_on: paidOn } = invoice
  const isLate = invoice.state === 'scaduta'
  return (
    <li className="flex min-h-11 items-center justify-between gap-3 py-2 text-sm">
      <span className="grid min-w-0">
        <Link to={paths.document(documentId)} className="truncate font-medium hover:underline">
          {kind === 'nota_di_credito' ? 'Nota di credito ' : ''}
          {number}
        </Link>
        <span className={isLate ? 'text-error' : 'text-muted-foreground'}>{stateOf(invoice)}</span>
        <span className="text-muted-foreground">
          {direction === 'attiva' ? 'emessa' : 'ricevuta'} il {shortDate(day)}
        </span>
        <Whose names={names} contactId={invoice.contact_id} />
      </span>
      <span className="shrink-0 tabular">
        {formatMoney(paidOn ? invoice.payable_cents : invoice.open_cents, currency)}
      </span>
    </li>
  )
}

function stateOf({ direction, paid_on: paidOn, next_due_on: due, state }: InvoiceAbout): string {
  if (paidOn) return `${direction === 'attiva' ? 'incassata' : 'pagata'} il ${shortDate(paidOn)}`
  if (!due) return 'aperta, senza scadenza'
  return state === 'scaduta' ? `in ritardo, scaduta il ${shortDate(due)}` : `aperta, scade il ${shortDate(due)}`
}

/** In no sum above: who opens one links it there. */
function Unlinked({ contact }: { contact: WholeContact }) {
  const { id, name, vat_number, tax_code } = contact
  const { data: invoices = [] } = useQuery(unlinkedInvoicesQuery({ id, name, vat_number, tax_code }))
  if (invoices.length === 0) return null
  return (
    <div className="rounded-md bg-warning-tint px-3 py-2 text-sm">
      <p>
        Hanno lo stesso nome o la stessa P.IVA, ma non sono collegate, e nelle somme non ci sono. Aprile per collegarle:
      </p>
      <ul aria-label="Fatture non collegate">
        {invoices.map((invoice) => (
          <InvoiceLine key={invoice.id} invoice={invoice} names={new Map()} />
        ))}
      </ul>
    </div>
  )
}
