/** /pricing (SITE-07): three packs and how credits work. */

import { FeatureList } from '@/components/feature-list'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Offer } from '@/features/store/offer'
import { useAuth } from '@/data/auth-context'
import { type Pack, useCatalog } from '@/data/catalog'
import { HowCreditsWork } from '@/features/store/how-credits-work'
import { discountOf, totalCredits } from '@/lib/pack'
import { usePurchase } from '@/features/store/use-purchase'
import { WhatCreditsBuy } from '@/features/store/what-credits-buy'
import { paths } from '@/paths'
import { company } from '@/strings/company'
import { formatCredits, formatEuro, formatUnitPrice, groupedThousands } from '@/strings/numbers'

async function showFailure(): Promise<void> {
  const { toast } = await import('sonner')
  toast.error('Acquisto non riuscito', {
    description: 'Si è verificato un problema con il pagamento. Riprova o contatta il supporto.',
    action: { label: 'Contatta supporto', onClick: () => window.location.assign(`mailto:${company.email}`) },
  })
}

export default function PricingPage() {
  const { packs, claims } = useCatalog()
  const { loading, buy, sheet } = usePurchase({ path: paths.pricing, onFailure: () => void showFailure() })
  return (
    <div className="column grid gap-10 py-8 sm:py-12">
      <header className="grid gap-2">
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Un prezzo per quello che usi</h1>
        <p className="max-w-2xl text-pretty text-muted-foreground sm:text-xl">
          Compri crediti quando ti servono. Nessun abbonamento: {claims['validity.packs'].text.toLowerCase()}.
        </p>
      </header>
      <ul className="grid gap-4 lg:grid-cols-3">
        {packs.map((pack) => (
          <PackCard key={pack.id} pack={pack} isLoading={loading === pack.id} onBuy={() => buy(pack.id)} />
        ))}
      </ul>
      <WhatCreditsBuy />
      <HowCreditsWork />
      {sheet}
    </div>
  )
}

function PackCard({ pack, isLoading, onBuy }: { pack: Pack; isLoading: boolean; onBuy: () => void }) {
  const { isLoading: isSessionLoading } = useAuth()
  const discount = discountOf(pack, useCatalog())
  return (
    <Offer isPreferred={pack.popular}>
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h2 className="text-xl font-semibold">{pack.name}</h2>
        {pack.popular && <Badge>Popolare</Badge>}
      </div>
      <p className="text-sm text-muted-foreground">{pack.description}</p>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-3xl font-semibold tabular">{formatEuro(pack.price_cents)}</span>
        {discount && <span className="text-sm font-medium text-primary">{discount}</span>}
      </p>
      <p className="text-sm text-muted-foreground tabular">
        {formatCredits(totalCredits(pack))} crediti in tutto, {formatUnitPrice(pack.price_cents / totalCredits(pack))} a
        credito, IVA inclusa
      </p>
      <FeatureList features={pack.features.map(groupedThousands)} />
      <Button
        size="lg"
        className="mt-auto"
        variant={pack.popular ? 'default' : 'outline'}
        disabled={isLoading || isSessionLoading}
        aria-busy={isLoading}
        aria-describedby={`pack-${pack.id}`}
        onClick={onBuy}
      >
        {isLoading ? 'Elaborazione...' : 'Acquista Ora'}
      </Button>
      <span id={`pack-${pack.id}`} hidden>
        Pacchetto {pack.name}
      </span>
    </Offer>
  )
}
