/** Tab 'Crediti (Top-Up)': the packs as purchase buttons, then the early-bird warning, what credits buy and the comparison. */
import { TriangleAlertIcon } from 'lucide-react'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Offer } from '@/features/store/offer'
import { useAuth } from '@/data/auth-context'
import { type Pack, useCatalog } from '@/data/catalog'
import { useOffer } from '@/data/early-bird'
import { TOTAL_SEATS } from '@/lib/early-bird'
import { laterPart } from '@/lib/later-part'
import { discountOf, totalCredits } from '@/lib/pack'
import { PackFacts } from '@/features/store/pack-facts'
import { usePurchase } from '@/features/store/use-purchase'
import { WhatCreditsBuy } from '@/features/store/what-credits-buy'
import { paths } from '@/paths'
import { formatCredits, formatEuro } from '@/strings/numbers'

const comparison = laterPart(
  import.meta.env.SSR && (await import('@/features/store/pack-comparison')).PackComparison,
  async () => (await import('@/features/store/pack-comparison')).PackComparison,
)

async function showFailure(): Promise<void> {
  const { toast } = await import('sonner')
  toast.error('Acquisto non riuscito', {
    description: 'Si è verificato un problema. Riprova o contatta il supporto.',
  })
}

export function TopUp() {
  const { packs } = useCatalog()
  const { loading, buy, sheet } = usePurchase({ path: paths.store, onFailure: () => void showFailure() })
  return (
    <div className="grid gap-8 pt-4">
      <ul className="grid items-start gap-4 lg:grid-cols-3">
        {packs.map((pack) => (
          <PackCard key={pack.id} pack={pack} isLoading={loading === pack.id} onBuy={() => buy(pack.id)} />
        ))}
      </ul>
      <EarlyBirdWarning />
      <WhatCreditsBuy />
      {comparison}
      {sheet}
    </div>
  )
}

/** Goes when the seats are taken; where no time runs, it says how many are left. */
function EarlyBirdWarning() {
  const { claims } = useCatalog()
  const offer = useOffer()
  if (offer?.isOver) return null
  const left = offer && !offer.countdown ? TOTAL_SEATS - offer.taken : null
  return (
    <p className="flex items-start gap-3 rounded-md bg-warning-tint p-4 text-sm">
      <TriangleAlertIcon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <span>
        <strong className="font-semibold">Early bird. {claims['early_bird.seats'].text}.</strong>{' '}
        {left !== null && `${left === 1 ? 'Ne resta' : 'Ne restano'} ${left}. `}
        {claims['early_bird.extra_credits'].text}. Il piano Starter, in arrivo, resta a{' '}
        {claims['early_bird.price'].text}.
      </span>
    </p>
  )
}

function PackCard({ pack, isLoading, onBuy }: { pack: Pack; isLoading: boolean; onBuy: () => void }) {
  const { isLoading: isSessionLoading } = useAuth()
  const catalog = useCatalog()
  const discount = discountOf(pack, catalog)
  const badge = pack.badge ?? (pack.popular ? 'Popolare' : null)
  return (
    <Offer isPreferred={pack.popular}>
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h2 className="text-base font-semibold">
          {formatCredits(pack.credits)} crediti
          {pack.bonus > 0 && <span className="text-primary"> +{formatCredits(pack.bonus)} in omaggio</span>}
        </h2>
        {badge && <Badge variant={pack.popular ? 'default' : 'secondary'}>{badge}</Badge>}
      </div>
      <p className="text-sm text-muted-foreground">
        {pack.name} · {pack.description}
      </p>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-3xl font-semibold tabular">{formatEuro(pack.price_cents)}</span>
        {discount && <span className="text-sm font-medium text-primary">{discount}</span>}
      </p>
      <p className="text-sm text-muted-foreground tabular">
        {formatCredits(totalCredits(pack))} crediti in tutto
        {pack.id === 'enterprise' && `, ${catalog.claims['time.hours_saved'].text} (stima)`}
      </p>
      <Button
        size="lg"
        variant={pack.popular ? 'default' : 'outline'}
        className="whitespace-normal"
        disabled={isLoading || isSessionLoading}
        aria-busy={isLoading}
        onClick={onBuy}
      >
        {isLoading ? 'Elaborazione...' : pack.store_name}
      </Button>
      <PackFacts pack={pack} />
    </Offer>
  )
}
