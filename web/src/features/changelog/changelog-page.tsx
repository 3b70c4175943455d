/** /changelog: what is new, newest first. */
import { Link } from 'react-router'

import { PublishedWishes } from '@/components/published-wishes'
import { changelog } from '@/data/changelog'
import { paths } from '@/paths'
import { longDay } from '@/strings/days'

export default function ChangelogPage() {
  return (
    <div className="column grid max-w-4xl gap-12 py-10 sm:py-16">
      <header>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Novità</h1>
        <p className="mt-5 max-w-2xl text-base text-pretty text-muted-foreground sm:text-xl">
          Che cosa è cambiato in Socio, giorno per giorno. Che cosa arriverà sta nella{' '}
          <Link to={paths.roadmap} className="text-primary underline underline-offset-4">
            roadmap
          </Link>
          .
        </p>
      </header>
      <ol className="divide-y border-y">
        {changelog.map(({ day, title, changes }) => (
          <li key={title} className="grid gap-3 py-8 sm:grid-cols-[10rem_1fr] sm:gap-8">
            <p className="text-sm text-muted-foreground tabular">
              <time dateTime={day}>{longDay(day)}</time>
            </p>
            <div>
              <h2 className="font-display text-2xl font-medium text-balance">{title}</h2>
              <ul className="mt-4 grid list-disc gap-2 pl-5 text-pretty">
                {changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </div>
          </li>
        ))}
      </ol>
      <PublishedWishes state="done" />
    </div>
  )
}
