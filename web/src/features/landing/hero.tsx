import { CheckIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { track } from '@/data/analytics'
import { useCatalog } from '@/data/catalog'
import { EarlyBird } from '@/features/landing/early-bird'
import { HomePicture } from '@/features/landing/home-picture'
import { paths } from '@/paths'

/** The promise and the one thing to do, next to the product itself; the offer comes after them. */
export function Hero() {
  const { claims } = useCatalog()
  const reasons = [claims['setup.seconds'], claims['setup.no_card'], claims['welcome.credits']]
  return (
    <section aria-labelledby="promessa" className="column grid gap-8 py-7 sm:gap-12 sm:py-14">
      <div className="grid items-center gap-7 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)] lg:gap-12">
        <div>
          <h1
            id="promessa"
            className="font-display text-3xl font-medium text-balance sm:text-5xl sm:tracking-tight lg:text-[3.5rem] lg:leading-[1.06]"
          >
            Lavori in proprio, con un socio.
          </h1>
          <p className="mt-4 max-w-xl text-base text-pretty text-muted-foreground sm:mt-5 sm:text-xl">
            Socio tiene insieme clienti, scadenze e documenti, e ogni mattina ti dice qual è la prossima cosa da fare.
            Un solo strumento al posto di chat IA, app di appunti e CRM.
          </p>
          <div className="mt-5 flex flex-wrap gap-3 sm:mt-8">
            <Button size="lg" asChild>
              <Link
                to={paths.register}
                onClick={() => track('hero_cta_click', { location: 'hero', action: 'register' })}
              >
                Inizia gratis
              </Link>
            </Button>
            <Button size="lg" variant="outline" asChild>
              <Link to={paths.pricing}>Vedi i prezzi</Link>
            </Button>
          </div>
          <ul className="mt-5 flex flex-wrap gap-x-6 gap-y-1.5 text-sm sm:mt-8">
            {reasons.map(({ text }) => (
              <li key={text} className="flex items-center gap-2">
                <CheckIcon aria-hidden className="size-4 shrink-0 text-primary" />
                {text}
              </li>
            ))}
          </ul>
        </div>
        <HomePicture />
      </div>
      <EarlyBird />
    </section>
  )
}
