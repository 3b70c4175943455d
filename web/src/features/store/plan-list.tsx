/** Tab 'Rinnovo Automatico': the plans; subscriptions are announced, not sold yet. */

import { FeatureList } from '@/components/feature-list'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Offer } from '@/features/store/offer'
import { useAuth } from '@/data/auth-context'
import { type Plan, useCatalog } from '@/data/catalog'
import { useSignInNotice } from '@/features/store/use-purchase'
import { paths } from '@/paths'
import { formatUnitPrice } from '@/strings/numbers'
import { planCredits, planFeatures, planPeriods, planPrice } from '@/strings/plans'

export function PlanList() {
  const { user } = useAuth()
  const { plans } = useCatalog()
  const askToSignIn = useSignInNotice(paths.store)

  async function subscribe(): Promise<void> {
    if (!user) {
      askToSignIn('Accedi per sottoscrivere un piano')
      return
    }
    const { toast } = await import('sonner')
    toast.info('Prossimamente', { description: 'Gli abbonamenti arrivano presto: intanto puoi ricaricare i crediti.' })
  }

  return (
    <div className="grid gap-6 pt-6">
      <PlanSavings />
      <p className="text-sm text-pretty">
        Gli abbonamenti sono in arrivo: intanto email, WhatsApp e obiettivi autonomi sono aperti a tutti.
      </p>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} onSubscribe={() => void subscribe()} />
        ))}
      </ul>
    </div>
  )
}

/** The claim as it was written, with what it is measured by and the figures that are reckoned from the catalogue. */
function PlanSavings() {
  const { claims } = useCatalog()
  const saving = claims['savings.plans']
  const reckoned = (['savings.pack_max', 'savings.plans_min', 'savings.plans_max'] as const).map((key) => claims[key])
  return (
    <section className="grid gap-2">
      <h2 className="text-xl font-semibold">{saving.text} con il rinnovo automatico</h2>
      <p className="max-w-2xl text-sm text-muted-foreground">{saving.base}.</p>
      <ul className="grid gap-1 text-sm sm:grid-cols-3 sm:gap-4">
        {reckoned.map(({ text, base }) => (
          <li key={text}>
            <strong className="block font-medium">{text}</strong>
            <span className="text-muted-foreground">{base}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function PlanCard({ plan, onSubscribe }: { plan: Plan; onSubscribe: () => void }) {
  const isFree = plan.price_cents === 0
  return (
    <Offer isPreferred={plan.highlight}>
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h3 className="text-base font-semibold">{plan.name}</h3>
        {plan.badge && <Badge variant={plan.highlight ? 'default' : 'secondary'}>{plan.badge}</Badge>}
      </div>
      <p>
        <span className="text-2xl font-semibold tabular">{planPrice(plan)}</span>{' '}
        {!isFree && <span className="text-sm text-muted-foreground">{planPeriods[plan.period]}</span>}
      </p>
      <p className="text-sm tabular">
        {planCredits(plan)}
        {!isFree && (
          <span className="block text-muted-foreground">
            {formatUnitPrice(plan.price_cents / plan.credits)} a credito
          </span>
        )}
      </p>
      <FeatureList features={planFeatures(plan)} />
      <Button
        className="mt-auto"
        variant={plan.highlight ? 'default' : 'outline'}
        disabled={isFree}
        onClick={onSubscribe}
      >
        {isFree ? 'Piano Attuale' : 'Sottoscrivi'}
      </Button>
    </Offer>
  )
}
