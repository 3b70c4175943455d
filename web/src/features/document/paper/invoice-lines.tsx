import type { InvoiceContent } from '@/data/invoice-content'
import { moneyText, priceText, quantityText, vatText } from '@/features/document/paper/figures'
import { shortDate } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'

type Line = InvoiceContent['lines'][number]

const figure = 'hidden px-2 py-2 text-right align-top whitespace-nowrap @xl:table-cell'

/** The lines as a table; where it is narrow, quantity, price and rate stand under the description. */
export function InvoiceLines({ content: { lines, currency } }: { content: InvoiceContent }) {
  if (lines.length === 0) return null
  return (
    <table className="w-full text-sm tabular">
      <caption className="sr-only">Righe della fattura</caption>
      <thead className="border-b text-left text-xs text-muted-foreground">
        <tr>
          <th scope="col" className="py-2 pr-2 font-medium">
            Descrizione
          </th>
          <th scope="col" className={`${figure} font-medium`}>
            Quantità
          </th>
          <th scope="col" className={`${figure} font-medium`}>
            Prezzo
          </th>
          <th scope="col" className={`${figure} font-medium`}>
            IVA
          </th>
          <th scope="col" className="py-2 pl-2 text-right font-medium">
            Totale
          </th>
        </tr>
      </thead>
      <tbody className="divide-y">
        {lines.map((line, index) => {
          const { no, quantity, unit, price, vat_rate: rate, nature, total_cents: total } = line
          const amount = [quantityText(quantity), unit].filter(Boolean).join(' ')
          const vat = vatText(rate, nature)
          return (
            // A file may number two lines alike.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={`${no}-${index}`} className="break-inside-avoid">
              <td className="py-2 pr-2 align-top wrap-anywhere">
                <span className="whitespace-pre-line">{line.description}</span>
                <Details line={line} />
                <span className="block text-xs text-muted-foreground @xl:hidden">
                  {[amount, price && `× ${priceText(price)}`, vat && (nature ? vat : `IVA ${vat}`)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </td>
              <td className={figure}>{amount}</td>
              <td className={figure}>{priceText(price)}</td>
              <td className={figure} title={nature ? codeWords('natures', nature) : undefined}>
                {vat}
              </td>
              <td className="py-2 pl-2 text-right align-top whitespace-nowrap">{moneyText(total, currency)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** What stands beside the description: the kind of line, its period, its discounts. */
function Details({ line: { kind, starts_on: from, ends_on: to, discounts } }: { line: Line }) {
  const told = [
    kind && codeWords('lines', kind),
    from && to ? `dal ${shortDate(from)} al ${shortDate(to)}` : (from ?? to) && shortDate(from ?? to ?? ''),
    ...discounts.map(
      ({ kind: discount, percent, amount }) =>
        `${codeWords('discounts', discount)} ${percent ? `${quantityText(percent)} %` : priceText(amount)}`,
    ),
  ].filter(Boolean)
  if (told.length === 0) return null
  return <span className="block text-xs text-muted-foreground">{told.join(' · ')}</span>
}
