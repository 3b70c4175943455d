/** What credits pay for and what never costs any; says it when no model is connected, and credits buy nothing yet. */
import { useHasModel } from '@/data/assistant-model'
import { useCatalog } from '@/data/catalog'
import { isSoldToday } from '@/strings/capabilities'
import { priceOf } from '@/strings/credits'

const free = 'CRM, attività e progetti, documenti, briefing e avvisi per email'

export function WhatCreditsBuy() {
  const prices = useCatalog().credit_prices.filter(isSoldToday)
  const hasModel = useHasModel()
  const paid = prices.filter((price) => price.max_credits > 0)
  const unpaid = prices.filter((price) => price.max_credits === 0)
  return (
    <section aria-labelledby="che-cosa-comprano" className="grid gap-3">
      <h2 id="che-cosa-comprano" className="text-xl font-semibold">
        Che cosa comprano i crediti
      </h2>
      {hasModel === false && (
        <p role="note" className="rounded-md bg-warning-tint p-4 text-sm text-pretty">
          <strong className="font-semibold">Qui oggi non è collegato nessun modello di IA.</strong> L’assistente
          risponde in modalità locale, gratis: i crediti ti serviranno quando un modello sarà collegato, e fino ad
          allora non hai bisogno di comprarne.
        </p>
      )}
      <dl className="grid gap-3 text-sm text-pretty sm:grid-cols-2">
        <div>
          <dt className="font-medium">Con i crediti, quando risponde un modello di IA</dt>
          <dd className="text-muted-foreground">
            {paid.map((price) => `${price.name}: ${priceOf(price)}`).join(' · ')}
          </dd>
        </div>
        <div>
          <dt className="font-medium">Gratis, sempre</dt>
          <dd className="text-muted-foreground">{[free, ...unpaid.map(({ name }) => name)].join(' · ')}</dd>
        </div>
      </dl>
    </section>
  )
}
