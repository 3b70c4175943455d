import type { ReactNode } from 'react'

import { Logo } from '@/components/logo'
import { useCatalog } from '@/data/catalog'
import type { Billing } from '@/data/checkout'
import type { Order } from '@/data/orders'
import { company, companyAddress } from '@/strings/company'
import { credits } from '@/strings/credits'
import { dayAndMonth } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

/** A paid order on one sheet of paper. */
export function Receipt({ order }: { order: Order }) {
  const { packs } = useCatalog()
  const pack = packs.find(({ id }) => id === order.pack_id)?.name ?? order.pack_id
  return (
    <article className="grid gap-8 rounded-md border bg-card p-5 text-card-foreground sm:p-8 print:border-0 print:p-0">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div className="grid gap-1">
          <Logo />
          <p className="text-xs text-muted-foreground">
            {company.name} · {companyAddress} · P. IVA {company.vatNumber}
          </p>
        </div>
        <h1 className="text-2xl font-semibold">Ricevuta</h1>
      </header>
      <dl className="grid gap-5 sm:grid-cols-2">
        <Part name="Numero d’ordine">
          <span className="break-all">{order.id}</span>
        </Part>
        <Part name="Pagato il">{dayAndMonth(order.paid_at ?? order.created_at)}</Part>
        <Part name="Intestata a">
          <Buyer order={order} />
        </Part>
        <Part name="Documento fiscale">{invoiceNote(order.billing)}</Part>
      </dl>
      <table className="w-full text-sm">
        <caption className="sr-only">Che cosa è stato acquistato</caption>
        <tbody className="divide-y border-y tabular">
          <Line name={`Pacchetto ${pack}: ${credits(order.credits)}`} cents={order.amount_cents} />
          {order.bonus > 0 && <Line name={`In omaggio: ${credits(order.bonus)}`} cents={0} />}
        </tbody>
        <tfoot className="tabular">
          <Line name="Totale, IVA inclusa" cents={order.amount_cents} isTotal />
          {order.refunded_cents > 0 && <Line name="Rimborsato" cents={-order.refunded_cents} />}
        </tfoot>
      </table>
      {order.withdrawn_at && <p className="text-sm">Hai esercitato il recesso il {dayAndMonth(order.withdrawn_at)}.</p>}
    </article>
  )
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-0.5 text-sm">
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="grid">{children}</dd>
    </div>
  )
}

function Buyer({ order: { billing, email } }: { order: Order }) {
  if (!billing) return email
  return (
    <>
      <span>{billing.name}</span>
      <span>{billing.address}</span>
      <span>
        {billing.postal_code} {billing.city} ({billing.province})
      </span>
      {billing.vat_number && <span>P. IVA {billing.vat_number}</span>}
      {billing.tax_code && <span>C. F. {billing.tax_code}</span>}
    </>
  )
}

/** Where the invoice goes; without billing data there is none. */
function invoiceNote(billing: Billing | null): string {
  if (!billing) return 'Riepilogo dell’acquisto: nessuna fattura richiesta.'
  if (billing.sdi_code) return `Fattura elettronica al codice destinatario ${billing.sdi_code}.`
  if (billing.pec) return `Fattura elettronica a ${billing.pec}.`
  return 'Fattura elettronica nel tuo cassetto fiscale.'
}

function Line({ name, cents, isTotal = false }: { name: string; cents: number; isTotal?: boolean }) {
  return (
    <tr className={isTotal ? 'font-semibold' : 'font-normal'}>
      <th scope="row" className={isTotal ? 'py-3 pr-4 text-left' : 'py-3 pr-4 text-left font-normal'}>
        {name}
      </th>
      <td className="py-3 text-right whitespace-nowrap">{formatEuro(cents)}</td>
    </tr>
  )
}
