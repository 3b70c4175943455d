import type { InvoiceContent } from '@/data/invoice-content'
import { moneyText, vatText } from '@/features/document/paper/figures'
import { codeWords } from '@/strings/invoice-codes'

/** The VAT by rate, what is added and withheld, and what is left to pay. */
export function InvoiceTotals({ content }: { content: InvoiceContent }) {
  const { summaries, currency, funds, withholdings, stamp, rounding_cents: rounding } = content
  const money = (cents: number | null) => moneyText(cents, currency)
  return (
    <div className="grid gap-6 @xl:grid-cols-2">
      <table className="h-fit w-full text-sm tabular">
        <caption className="pb-1 text-left text-xs font-medium text-muted-foreground">Riepilogo IVA</caption>
        <thead className="border-b text-right text-xs text-muted-foreground">
          <tr>
            <th scope="col" className="py-1.5 pr-2 text-left font-medium">
              Aliquota
            </th>
            <th scope="col" className="px-2 py-1.5 font-medium">
              Imponibile
            </th>
            <th scope="col" className="py-1.5 pl-2 font-medium">
              Imposta
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {summaries.map(({ vat_rate: rate, nature, taxable_cents: taxable, tax_cents: tax, due, law }) => (
            <tr key={`${rate}-${nature}-${taxable}`} className="align-top">
              <td className="py-2 pr-2">
                {vatText(rate, nature)}
                <span className="block text-xs break-words text-muted-foreground">
                  {[nature && codeWords('natures', nature), law, due === 'S' && codeWords('exigibility', due)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </td>
              <td className="px-2 py-2 text-right whitespace-nowrap">{money(taxable)}</td>
              <td className="py-2 pl-2 text-right whitespace-nowrap">{money(tax)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="grid h-fit gap-1.5 text-sm tabular">
        {funds.map(({ type_code: type, rate, amount_cents: cents }) => (
          <Row
            key={type}
            name={`${codeWords('funds', type)}${rate ? ` ${vatText(rate, null)}` : ''}`}
            value={money(cents)}
          />
        ))}
        <Row name="Imponibile" value={money(content.net_cents)} />
        <Row name="IVA" value={money(content.vat_cents)} />
        {stamp && content.stamp_borne_by === 'totale' && (
          <Row name="Imposta di bollo" value={money(stamp.amount_cents)} />
        )}
        {rounding ? <Row name="Arrotondamento" value={money(rounding)} /> : null}
        <Row name="Totale documento" value={money(content.total_cents)} isStrong />
        {withholdings.map(({ type_code: type, rate, amount_cents: cents }) => (
          <Row
            key={type}
            name={`${codeWords('withholdings', type)}${rate ? ` ${vatText(rate, null)}` : ''}`}
            value={cents === null ? '' : money(-cents)}
          />
        ))}
        {content.due_cents !== content.total_cents && (
          <Row name="Da pagare" value={money(content.due_cents)} isStrong />
        )}
      </dl>
      {stamp && <p className="text-xs text-muted-foreground @xl:col-span-2">{stampText(content, money)}</p>}
    </div>
  )
}

/** «Imposta di bollo di 2,00 € assolta in modo virtuale, addebitata in una riga.» */
function stampText({ stamp, stamp_borne_by: by }: InvoiceContent, money: (cents: number | null) => string): string {
  const amount = money(stamp?.amount_cents ?? null)
  const name = ['Imposta di bollo', amount && `di ${amount}`, stamp?.virtual && 'assolta in modo virtuale']
  return `${[name.filter(Boolean).join(' '), codeWords('stamps', by ?? null)].filter(Boolean).join(', ')}.`
}

function Row({ name, value, isStrong = false }: { name: string; value: string; isStrong?: boolean }) {
  if (!value) return null
  return (
    <div
      className={`flex items-baseline justify-between gap-4 ${isStrong ? 'border-t pt-1.5 text-base font-semibold' : ''}`}
    >
      <dt className="min-w-0 break-words">{name}</dt>
      <dd className="whitespace-nowrap">{value}</dd>
    </div>
  )
}
