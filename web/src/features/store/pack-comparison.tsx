/** The three packs side by side, every figure reckoned from the catalogue, and what the claims about time stand on. */
import type { ReactNode } from 'react'

import { type Catalog, type Pack, useCatalog } from '@/data/catalog'
import { discountOf, totalCredits } from '@/lib/pack'
import { formatCredits, formatEuro, formatUnitPrice, groupedThousands } from '@/strings/numbers'

type Row = { label: string; value: (pack: Pack, catalog: Catalog) => ReactNode }

const rows: Row[] = [
  { label: 'Crediti', value: (pack) => formatCredits(pack.credits) },
  { label: 'In omaggio', value: (pack) => (pack.bonus ? `+${formatCredits(pack.bonus)}` : 'nessuno') },
  { label: 'Totale', value: (pack) => formatCredits(totalCredits(pack)) },
  { label: 'Prezzo', value: (pack) => formatEuro(pack.price_cents) },
  { label: 'A credito', value: (pack) => formatUnitPrice(pack.price_cents / totalCredits(pack)) },
  { label: 'Sconto', value: (pack, catalog) => discountOf(pack, catalog) ?? '–' },
  {
    label: 'Tempo (stima)',
    value: (pack, { claims }) => (pack.id === 'enterprise' ? claims['time.hours_saved'].text : '–'),
  },
]

export function PackComparison() {
  return (
    <>
      <section className="grid gap-3">
        <h2 className="text-xl font-semibold">I pacchetti a confronto</h2>
        <ComparisonTable />
      </section>
      <Estimates />
    </>
  )
}

function ComparisonTable() {
  const catalog = useCatalog()
  return (
    <div className="overflow-hidden rounded-md border bg-card">
      <table className="w-full table-fixed text-xs tabular sm:text-sm">
        <caption className="sr-only">Confronto dei pacchetti di crediti</caption>
        <thead>
          <tr className="border-b bg-muted">
            <th scope="col" className="w-[27%] px-1.5 py-2 text-left font-medium sm:p-3">
              Pacchetto
            </th>
            {catalog.packs.map((pack) => (
              <th key={pack.id} scope="col" className="px-1.5 py-2 text-right font-semibold sm:p-3">
                {pack.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map(({ label, value }) => (
            <tr key={label}>
              <th scope="row" className="px-1.5 py-2 text-left font-normal text-muted-foreground sm:p-3">
                {label}
              </th>
              {catalog.packs.map((pack) => (
                <td key={pack.id} className="px-1.5 py-2 text-right sm:p-3">
                  {value(pack, catalog)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** How the claims about time were reckoned: both stand, neither is a promise. */
function Estimates() {
  const { claims } = useCatalog()
  const estimates = (['time.minutes_per_credit', 'time.hours_saved', 'time.hours_by_credit'] as const).map(
    (key) => claims[key],
  )
  return (
    <dl className="grid gap-2 text-sm sm:grid-cols-3 sm:gap-4">
      {estimates.map(({ text, base }) => (
        <div key={text}>
          <dt className="font-medium">{text}</dt>
          <dd className="text-muted-foreground">{base && groupedThousands(base)}.</dd>
        </div>
      ))}
    </dl>
  )
}
