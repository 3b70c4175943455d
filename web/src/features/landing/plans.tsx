import { clsx } from 'clsx'
import { Link } from 'react-router'

import { FeatureList } from '@/components/feature-list'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { track } from '@/data/analytics'
import { type Plan, useCatalog } from '@/data/catalog'
import { Section, SmallPrint } from '@/features/landing/section'
import { paths } from '@/paths'
import { formatEuro } from '@/strings/numbers'
import { planCredits, planFeatures, planPeriods } from '@/strings/plans'

/** The recurring plans, as the catalogue has them. */
export function Plans() {
  const { plans, claims } = useCatalog()
  return (
    <Section
      id="piani"
      title="Un prezzo che sai prima"
      intro="Parti gratis. Gli abbonamenti aprono a breve: intanto ricarichi con i pacchetti di crediti, una volta sola e senza rinnovo."
      raised
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} />
        ))}
      </ul>
      <SmallPrint className="mt-6 max-w-3xl">
        {claims['early_bird.seats'].text}: {claims['early_bird.price'].text}, {claims['standard.price'].text}. Pro:{' '}
        {claims['standard.price_after_offer'].text}. {claims['standard.price_after_offer'].base}. Enterprise: su
        richiesta.
      </SmallPrint>
      <Button variant="link" asChild className="mt-4 h-auto min-h-11 px-0 text-left whitespace-normal">
        <Link to={paths.pricing}>Vedi i pacchetti di crediti e quanto costa ogni azione</Link>
      </Button>
    </Section>
  )
}

function PlanCard({ plan }: { plan: Plan }) {
  const { id, name, price_cents, period, highlight, badge } = plan
  return (
    <li
      className={clsx(
        'flex flex-col rounded-xl border bg-background p-6',
        highlight && 'border-primary ring-1 ring-primary',
      )}
    >
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h3 className="text-base font-semibold">{name}</h3>
        {badge && <Badge variant={highlight ? 'default' : 'secondary'}>{badge}</Badge>}
      </div>
      <p className="mt-4 flex flex-wrap items-baseline gap-x-1.5">
        <span className="font-display text-3xl font-medium tabular">{formatEuro(price_cents)}</span>
        <span className="text-sm text-muted-foreground">{planPeriods[period]}</span>
      </p>
      <p className="mt-1 text-sm tabular">{planCredits(plan)}</p>
      <FeatureList features={planFeatures(plan)} className="mt-5 mb-6" />
      <Button variant={highlight ? 'default' : 'outline'} asChild className="mt-auto">
        <Link to={paths.register} onClick={() => track('plan_click', { plan: id })}>
          {price_cents === 0 ? 'Inizia gratis' : `Scegli ${name}`}
        </Link>
      </Button>
    </li>
  )
}
