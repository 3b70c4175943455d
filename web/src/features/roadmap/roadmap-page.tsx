/** /roadmap: what was announced, with the state it is really in. */
import { Link } from 'react-router'

import { PublishedWishes } from '@/components/published-wishes'
import { Badge } from '@/components/ui/badge'
import { isLate, reviewedOn, roadmap, type RoadmapState } from '@/data/roadmap'
import { paths } from '@/paths'
import { longDay } from '@/strings/days'

const marks: Record<RoadmapState, string> = {
  fatto: 'bg-success',
  'in corso': 'bg-warning',
  previsto: 'bg-info',
}

const quarters = [...new Set(roadmap.map(({ quarter }) => quarter))]

export default function RoadmapPage() {
  return (
    <div className="column grid max-w-4xl gap-12 py-10 sm:py-16">
      <header>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Roadmap</h1>
        <p className="mt-5 max-w-2xl text-base text-pretty text-muted-foreground sm:text-xl">
          Che cosa abbiamo promesso e a che punto siamo. Le date annunciate non le spostiamo: se siamo in ritardo, qui
          c’è scritto.
        </p>
        <p className="mt-3 text-sm text-muted-foreground">
          Aggiornata il <time dateTime={reviewedOn}>{longDay(reviewedOn)}</time>
        </p>
      </header>
      {quarters.map((quarter) => (
        <section key={quarter} aria-label={quarter} className="grid gap-4 sm:grid-cols-[7rem_1fr] sm:gap-8">
          <h2 className="font-display text-2xl font-medium tabular">{quarter}</h2>
          <ol className="divide-y border-y">
            {roadmap
              .filter((item) => item.quarter === quarter)
              .map((item) => (
                <li key={item.title} className="py-5">
                  <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                    <h3 className="text-base font-semibold sm:text-xl">{item.title}</h3>
                    <Badge variant="outline" className="gap-2">
                      <span aria-hidden className={`size-2 rounded-full ${marks[item.state]}`} />
                      {item.state}
                    </Badge>
                    {isLate(item) && <Badge variant="notice">in ritardo</Badge>}
                  </div>
                  <p className="mt-2 text-pretty text-muted-foreground">{item.text}</p>
                </li>
              ))}
          </ol>
        </section>
      ))}
      <PublishedWishes state="open" />
      <p className="text-sm text-muted-foreground">
        Quello che è già arrivato sta nelle{' '}
        <Link to={paths.changelog} className="text-primary underline underline-offset-4">
          Novità
        </Link>
        .
      </p>
    </div>
  )
}
