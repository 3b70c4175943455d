import { clsx } from 'clsx'
import { Link } from 'react-router'

import { FeatureList } from '@/components/feature-list'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { track } from '@/data/analytics'
import { type Plan, useCatalog } from '@/data/catalog'
import { HowWeReckon, Section, SmallPrint } from '@/features/landing/section'
import { SwipeRow } from '@/features/landing/swipe-row'
import { paths } from '@/paths'
import { planCredits, planFeatures, planPeriods, planPrice } from '@/strings/plans'

/** The recurring plans, as the catalogue has them. */
export function Plans() {
  const { plans, claims } = useCatalog()
  return (
    <Section
      id="piani"
      title="Un prezzo che sai prima"
      intro="Parti gratis. Gli abbonamenti sono in arrivo: intanto email, WhatsApp e obiettivi autonomi sono aperti a tutti, e ricarichi con i pacchetti di crediti, senza rinnovo."
      raised
    >
      <SwipeRow label="Piani" className="sm:grid sm:grid-cols-2 sm:gap-3 lg:grid-cols-4">
        {plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} />
        ))}
      </SwipeRow>
      <HowWeReckon className="mt-4">
        <SmallPrint>
          Starter: {claims['early_bird.price'].text} per i primi 100 utenti, {claims['standard.price'].text}. Pro:{' '}
          {claims['standard.price_after_offer'].text}. {claims['standard.price_after_offer'].base}. Enterprise: su
          richiesta.
        </SmallPrint>
      </HowWeReckon>
      <Button variant="link" asChild className="h-auto min-h-11 px-0 text-left whitespace-normal">
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
        'flex flex-col rounded-xl border bg-background p-3 sm:p-6',
        highlight && 'border-primary ring-1 ring-primary',
      )}
    >
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h3 className="text-base font-semibold">{name}</h3>
        {badge && <Badge variant={highlight ? 'default' : 'secondary'}>{badge}</Badge>}
      </div>
      <p className="mt-1 flex flex-wrap sm:mt-4 items-baseline gap-x-1.5">
        <span className="font-display text-xl font-medium tabular sm:text-3xl">{planPrice(plan)}</span>
        <span className="text-sm text-muted-foreground">{price_cents > 0 && planPeriods[period]}</span>
      </p>
      <p className="mt-1 text-sm tabular">{planCredits(plan)}</p>
      <FeatureList features={planFeatures(plan)} className="mt-3 mb-4 max-sm:gap-1 max-sm:text-xs sm:mt-5 sm:mb-6" />
      <Button variant={highlight ? 'default' : 'outline'} asChild className="mt-auto max-sm:px-2">
        <Link
          to={price_cents === 0 ? paths.register : paths.registerFor(id)}
          onClick={() => track('plan_click', { plan: id })}
        >
          {price_cents === 0 ? 'Inizia gratis' : `Scegli ${name}`}
        </Link>
      </Button>
    </li>
  )
}
