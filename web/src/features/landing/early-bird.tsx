import { clsx } from 'clsx'
import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { useOffer } from '@/data/early-bird'
import { SmallPrint } from '@/features/landing/section'
import { type Countdown, TOTAL_SEATS } from '@/lib/early-bird'

/** Where the form of the waiting list will be: part of the prerendered HTML, so that the link to it always works. */
export const WAITING_LIST_ID = 'lista-attesa'

/** The early-bird offer: price, seats, time left; after its end the way to the waiting list. */
export function EarlyBird() {
  const offer = useOffer()
  const { claims } = useCatalog()
  return (
    <aside aria-labelledby="early-bird" className="rounded-xl border bg-card p-5 shadow-float sm:p-6">
      <h2 id="early-bird" className="text-sm font-semibold text-primary">
        {claims['early_bird.seats'].text}
      </h2>
      <p className="mt-2 font-display text-3xl font-medium tabular">{claims['early_bird.price'].text}</p>
      <SmallPrint className="mt-1">
        {claims['early_bird.price'].base}, {claims['early_bird.price_year'].text}. {claims['standard.price'].text}.
      </SmallPrint>
      <p className="mt-4 text-sm text-pretty">{claims['early_bird.extra_credits'].text}.</p>
      {/* Its place is kept from the start, so that nothing moves when the answer comes. */}
      <div className={clsx('mt-5 grid min-h-50 content-start gap-4 border-t pt-5', !offer && 'invisible')}>
        <Seats taken={offer?.taken ?? 0} />
        {offer?.isOver ? <Over /> : offer?.countdown && <TimeLeft countdown={offer.countdown} />}
      </div>
    </aside>
  )
}

function Seats({ taken }: { taken: number }) {
  const label = `${taken} ${taken === 1 ? 'posto' : 'posti'} su ${TOTAL_SEATS}`
  return (
    <div>
      <p className="flex items-baseline justify-between gap-3 text-sm">
        <span className="text-muted-foreground">Posti assegnati</span>
        <span data-testid="seats" className="font-semibold tabular">
          {label}
        </span>
      </p>
      <progress
        aria-label="Posti assegnati"
        value={taken}
        max={TOTAL_SEATS}
        className="mt-2 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-muted text-primary [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-muted [&::-webkit-progress-value]:bg-primary"
      />
    </div>
  )
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

function TimeLeft({ countdown: { hours, minutes, seconds } }: { countdown: Countdown }) {
  const { claims } = useCatalog()
  const parts = [
    ['ore', hours],
    ['minuti', minutes],
    ['secondi', seconds],
  ] as const
  return (
    <div>
      <div role="timer" aria-label="Tempo rimasto" className="grid grid-cols-3 gap-2 text-center">
        {parts.map(([unit, value]) => (
          <p key={unit} className="rounded-md bg-muted py-2.5">
            <span className="block text-2xl font-semibold tabular">{twoDigits(value)}</span>
            <span className="block text-xs text-muted-foreground">{unit}</span>
          </p>
        ))}
      </div>
      <SmallPrint className="mt-3">
        {claims['early_bird.countdown'].text}, in questo browser. I posti sono una stima sul tempo:{' '}
        {claims['early_bird.seats_at_start'].text}, {claims['early_bird.seats_added'].text}.
      </SmallPrint>
    </div>
  )
}

function Over() {
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-sm text-pretty">
        <strong className="font-semibold">L’offerta early bird è finita.</strong> Lascia il tuo indirizzo nella lista
        d’attesa: ti scriviamo quando si aprono nuovi posti.
      </p>
      <Button variant="outline" asChild>
        <a href={`#${WAITING_LIST_ID}`}>Entra nella lista d’attesa</a>
      </Button>
    </div>
  )
}
