import { clsx } from 'clsx'
import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { useOffer } from '@/data/early-bird'
import { SmallPrint } from '@/features/landing/section'
import { type Countdown, TOTAL_SEATS } from '@/lib/early-bird'
import { formatCredits } from '@/strings/numbers'

/** Where the form of the waiting list will be: part of the prerendered HTML, so that the link to it always works. */
export const WAITING_LIST_ID = 'lista-attesa'

/** The early-bird offer: the credits that a registration gets, seats, time left; after its end the waiting list. */
export function EarlyBird() {
  const offer = useOffer()
  const { claims } = useCatalog()
  const welcome = claims['welcome.credits'].value ?? 0
  const bonus = offer?.isOver ? 0 : (claims['bonus.credits'].value ?? 0)
  return (
    <aside
      aria-labelledby="early-bird"
      className="grid gap-5 rounded-xl border bg-card p-5 sm:p-6 lg:grid-cols-2 lg:gap-12"
    >
      <div>
        <h2 id="early-bird" className="text-sm font-semibold text-primary">
          {claims['early_bird.seats'].text}
        </h2>
        <p className="mt-1 font-display text-2xl font-medium tabular sm:text-3xl">
          Parti con {formatCredits(welcome + bonus)} crediti
        </p>
        {!offer?.isOver && (
          <p className="mt-2 text-sm text-pretty">
            {formatCredits(welcome)} per tutti alla registrazione, altri {formatCredits(bonus)} se sei tra i primi{' '}
            {TOTAL_SEATS}.
          </p>
        )}
        <SmallPrint className="mt-2">
          {claims['early_bird.extra_credits'].text}: {claims['early_bird.price'].text} per il piano Starter,{' '}
          {claims['early_bird.price_year'].text}, invece di {claims['standard.price'].text}. Gli abbonamenti sono in
          arrivo.
        </SmallPrint>
      </div>
      {/* Its place is kept from the start, so that nothing moves when the answer comes. */}
      <div
        className={clsx('grid min-h-46 content-start gap-4 border-t pt-5 lg:border-t-0 lg:pt-0', !offer && 'invisible')}
      >
        <Seats taken={offer?.taken ?? 0} isEstimate={Boolean(offer?.countdown)} />
        {offer?.countdown && <TimeLeft countdown={offer.countdown} />}
        {offer?.isOver && <Over />}
      </div>
    </aside>
  )
}

function Seats({ taken, isEstimate }: { taken: number; isEstimate: boolean }) {
  const name = isEstimate ? 'Posti, stimati sul tempo' : 'Posti assegnati'
  return (
    <div>
      <p className="flex items-baseline justify-between gap-3 text-sm">
        <span className="text-muted-foreground">{name}</span>
        <span data-testid="seats" className="font-semibold tabular">
          {taken} {taken === 1 ? 'posto' : 'posti'} su {TOTAL_SEATS}
        </span>
      </p>
      <progress
        aria-label={name}
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
          <p key={unit} className="rounded-md bg-muted py-1.5">
            <span className="block text-2xl font-semibold tabular">{twoDigits(value)}</span>
            <span className="block text-xs text-muted-foreground">{unit}</span>
          </p>
        ))}
      </div>
      <SmallPrint className="mt-3">
        {claims['early_bird.countdown'].text}, in questo browser. I posti del conto sono una stima sul tempo, non un
        conteggio: {claims['early_bird.seats_at_start'].text}, {claims['early_bird.seats_added'].text}.
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
