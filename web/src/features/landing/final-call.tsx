import { lazy, Suspense } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { track } from '@/data/analytics'
import { useCatalog } from '@/data/catalog'
import { useOffer } from '@/data/early-bird'
import { bonusStack } from '@/features/landing/bonus-stack'
import { WAITING_LIST_ID } from '@/features/landing/early-bird'
import { FoldedOnPhones } from '@/features/landing/folded-on-phones'
import { HowWeReckon, Section, SmallPrint } from '@/features/landing/section'
import { paths } from '@/paths'
import { formatCredits } from '@/strings/numbers'

const WaitingListForm = lazy(() =>
  import('@/features/landing/waiting-list-form').then(
    ({ WaitingListForm: Form }) => ({ default: Form }),
    () => ({ default: LostForm }),
  ),
)

/** The last word: what comes with it and the one button; once the offer is over the waiting list takes its place. */
export function FinalCall() {
  const offer = useOffer()
  const { claims } = useCatalog()
  return (
    <Section
      id="inizia"
      title="Comincia dalla prossima cosa da fare"
      intro={`${claims['setup.seconds'].text}. ${claims['setup.no_card'].text}. ${claims['guarantee.days'].text}.`}
      raised
    >
      <div id={WAITING_LIST_ID} className="grid scroll-mt-20 gap-6 lg:grid-cols-2 lg:gap-16">
        {!offer?.isOver && <BonusStack />}
        <div className="grid content-start justify-items-start gap-6">
          <p className="text-base text-pretty sm:text-xl">
            {claims['welcome.credits'].text}.
            {!offer?.isOver && ` Se sei tra i primi 100, ${claims['bonus.credits'].text}.`}
          </p>
          <Button size="lg" asChild>
            <Link to={paths.register} onClick={() => track('final_cta_click', { location: 'final' })}>
              Crea il tuo account gratis
            </Link>
          </Button>
        </div>
        {offer?.isOver && (
          <div className="self-start rounded-xl border bg-background p-6">
            <Suspense>
              <WaitingListForm />
            </Suspense>
          </div>
        )}
      </div>
    </Section>
  )
}

/** Instead of a form whose code did not arrive; only a new document gets it for certain. */
function LostForm() {
  return (
    <div role="alert" className="grid justify-items-start gap-3">
      <p className="text-sm text-pretty">
        Non siamo riusciti a caricare il modulo della lista d’attesa. Controlla la connessione e riprova.
      </p>
      <Button variant="outline" onClick={() => window.location.reload()}>
        Riprova
      </Button>
    </div>
  )
}

function BonusStack() {
  const { claims } = useCatalog()
  return (
    <div>
      <h3 className="text-base font-semibold max-sm:hidden">Che cosa ricevi con l’early bird</h3>
      <div className="sm:mt-3">
        <FoldedOnPhones summary="Che cosa ricevi con l’early bird">
          <ul className="divide-y border-b sm:border-t">
            {bonusStack.map(({ name, note, euros }) => (
              <li key={name} className="flex items-baseline justify-between gap-4 py-2 max-sm:text-sm sm:py-3">
                <span>
                  {name}
                  <span className="block text-sm text-muted-foreground">{note}</span>
                </span>
                <span className="whitespace-nowrap text-muted-foreground tabular">{formatCredits(euros)} €</span>
              </li>
            ))}
          </ul>
        </FoldedOnPhones>
      </div>
      <p className="mt-3 flex justify-between gap-4 text-xl font-semibold tabular">
        {claims['bonus.stack_value'].text}
      </p>
      <HowWeReckon>
        <SmallPrint>
          500 crediti: {claims['bonus.value'].text.toLocaleLowerCase('it')}. {claims['bonus.value'].base}.{' '}
          {claims['bonus.credits'].base}. Supporto prioritario:{' '}
          {claims['support.reply_hours'].text.toLocaleLowerCase('it')}. I valori sono una nostra stima, non un prezzo di
          vendita.
        </SmallPrint>
      </HowWeReckon>
    </div>
  )
}
