/** The box of /pricing: what credits are, what each action costs, and how many somebody needs. */
import { useCatalog } from '@/data/catalog'
import { CreditCalculator } from '@/features/store/credit-calculator'
import { isSoldToday } from '@/strings/capabilities'
import { formatCredits } from '@/strings/numbers'

export function HowCreditsWork() {
  const { credit_prices, claims } = useCatalog()
  return (
    <section aria-labelledby="come-funzionano" className="grid gap-6 rounded-md border bg-card p-5 sm:p-8">
      <header className="grid gap-2">
        <h2 id="come-funzionano" className="font-display text-3xl font-medium">
          Come funzionano i crediti?
        </h2>
        <p className="max-w-2xl text-pretty text-muted-foreground">
          Un’azione dell’IA costa crediti, e il costo lo vedi prima. {claims['validity.packs'].text},{' '}
          {claims['validity.packs'].base?.toLowerCase()}. {claims['guarantee.days'].text} per la parte non usata.
        </p>
      </header>
      <div className="grid gap-8 lg:grid-cols-2">
        <table className="w-full self-start text-sm">
          <caption className="pb-2 text-left text-base font-semibold">Listino</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Azione</th>
              <th scope="col">Crediti</th>
            </tr>
          </thead>
          <tbody className="divide-y border-y">
            {credit_prices.filter(isSoldToday).map(({ action, name, note, min_credits, max_credits }) => (
              <tr key={action}>
                <th scope="row" className="py-2 pr-3 text-left font-normal">
                  {name}
                  {note && <span className="block text-xs text-muted-foreground">{note}</span>}
                </th>
                <td className="py-2 text-right align-top font-semibold whitespace-nowrap tabular">
                  {price(min_credits, max_credits)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <CreditCalculator />
      </div>
    </section>
  )
}

/** «gratis», «1», «5–10». */
function price(min: number, max: number): string {
  if (max === 0) return 'gratis'
  return min === max ? formatCredits(max) : `${formatCredits(min)}–${formatCredits(max)}`
}
