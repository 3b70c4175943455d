import { ArrowRightIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { isLate, roadmap, type RoadmapState } from '@/data/roadmap'
import { Section } from '@/features/landing/section'
import { paths } from '@/paths'

const columns: { title: string; note: string; state: RoadmapState }[] = [
  { title: 'Fatto', note: 'Lo usi oggi', state: 'fatto' },
  { title: 'Adesso', note: 'Ci stiamo lavorando', state: 'in corso' },
  { title: 'Poi', note: 'In arrivo', state: 'previsto' },
]

/** Done, now and next, delays included. */
export function RoadmapTeaser() {
  const { claims } = useCatalog()
  return (
    <Section
      id="verso-dove"
      title="Verso dove andiamo nel 2026"
      intro="La roadmap è pubblica: ci trovi scritti anche i ritardi."
      raised
    >
      <ul className="grid gap-4 sm:grid-cols-3 sm:gap-6">
        {columns.map(({ title, note, state }) => (
          <li key={state}>
            <h3 className="text-base font-semibold">
              {title} <span className="text-sm font-normal text-muted-foreground">· {note}</span>
            </h3>
            <ul className="mt-1 text-sm max-sm:flex max-sm:flex-wrap max-sm:gap-x-4 sm:mt-2 sm:divide-y sm:border-y">
              {roadmap
                .filter((item) => item.state === state)
                .map((item) => (
                  <li key={item.title} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 sm:py-2.5">
                    {item.title}
                    {isLate(item) && <Badge variant="notice">in ritardo</Badge>}
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
      <p className="mt-3 max-w-2xl sm:mt-5 text-sm text-pretty text-muted-foreground">
        {claims['mobile.date'].text}: era la data della beta, è in ritardo. Quella nuova la scriviamo quando la
        sappiamo.
      </p>
      <Button variant="outline" asChild className="mt-4">
        <Link to={paths.roadmap}>
          Leggi la roadmap
          <ArrowRightIcon aria-hidden />
        </Link>
      </Button>
    </Section>
  )
}
