import { CheckIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { track } from '@/data/analytics'
import { useCatalog } from '@/data/catalog'
import { EarlyBird } from '@/features/landing/early-bird'
import { HomePicture } from '@/features/landing/home-picture'
import { paths } from '@/paths'

/** The promise, the one thing to do, and the product itself as the picture. */
export function Hero() {
  const { claims } = useCatalog()
  const reasons = [claims['setup.seconds'], claims['setup.no_card'], claims['welcome.credits']]
  return (
    <section aria-labelledby="promessa" className="column pt-10 sm:pt-16">
      <div className="grid items-start gap-10 lg:grid-cols-[1fr_22rem] lg:gap-16">
        <div>
          <h1
            id="promessa"
            className="max-w-3xl font-display text-3xl font-medium text-balance sm:text-5xl sm:tracking-tight lg:text-[4rem] lg:leading-[1.06]"
          >
            Lavori in proprio, non da solo.
          </h1>
          <p className="mt-5 max-w-xl text-base text-pretty text-muted-foreground sm:text-xl">
            Socio tiene insieme clienti, scadenze e documenti, e ogni mattina ti dice qual è la prossima cosa da fare.
            Un solo strumento al posto di chat IA, app di appunti e CRM.
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
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
          <ul className="mt-8 flex flex-wrap gap-x-6 gap-y-2 text-sm">
            {reasons.map(({ text }) => (
              <li key={text} className="flex items-center gap-2">
                <CheckIcon aria-hidden className="size-4 shrink-0 text-primary" />
                {text}
              </li>
            ))}
          </ul>
        </div>
        <EarlyBird />
      </div>
      <HomePicture />
    </section>
  )
}
