import { ArrowRightIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { isLate, roadmap } from '@/data/roadmap'
import { Section } from '@/features/landing/section'
import { paths } from '@/paths'

/** What is not done yet, delays included. */
export function RoadmapTeaser() {
  const { claims } = useCatalog()
  return (
    <Section
      id="verso-dove"
      title="Verso dove andiamo nel 2026"
      intro="La roadmap è pubblica: anche i ritardi ci stanno scritti."
      raised
    >
      <ul className="divide-y border-y">
        {roadmap
          .filter(({ state }) => state !== 'fatto')
          .map((item) => (
            <li key={item.title} className="grid gap-x-8 gap-y-1 py-5 sm:grid-cols-[8rem_1fr]">
              <p className="flex items-center gap-2 text-sm text-muted-foreground tabular sm:block">
                {item.quarter}
                <Badge variant={isLate(item) ? 'notice' : 'secondary'} className="sm:mt-1.5 sm:flex">
                  {isLate(item) ? 'in ritardo' : item.state}
                </Badge>
              </p>
              <div>
                <h3 className="text-base font-semibold sm:text-xl">{item.title}</h3>
                <p className="mt-1 max-w-2xl text-pretty text-muted-foreground">{item.text}</p>
              </div>
            </li>
          ))}
      </ul>
      <p className="mt-6 max-w-2xl text-sm text-pretty text-muted-foreground">
        {claims['mobile.date'].text}: era la data della beta. È passata, e quella nuova la scriviamo quando la sappiamo.
      </p>
      <Button variant="outline" asChild className="mt-5">
        <Link to={paths.roadmap}>
          Leggi la roadmap
          <ArrowRightIcon aria-hidden />
        </Link>
      </Button>
    </Section>
  )
}
