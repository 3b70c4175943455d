/** The frame of the three legal pages: date and version, a table of contents, numbered sections. */
import { ArrowLeftIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { paths } from '@/paths'
import { legalVersion } from '@/strings/company'
import { longDay } from '@/strings/days'
import type { LegalChange } from '@/strings/legal-changes'

export type LegalSection = { id: string; title: string; body: ReactNode }

type Props = { title: string; intro: string; sections: LegalSection[] }

export function LegalPage({ title, intro, sections }: Props) {
  return (
    <div className="column grid gap-10 py-10 sm:py-16 lg:grid-cols-[16rem_1fr] lg:gap-16">
      <header className="lg:col-span-2">
        <Link
          to={paths.landing}
          className="inline-flex min-h-11 items-center gap-2 text-sm font-semibold text-primary underline-offset-4 hover:underline"
        >
          <ArrowLeftIcon aria-hidden className="size-4" />
          Torna alla Home
        </Link>
        <h1 className="mt-4 font-display text-3xl font-medium text-balance sm:text-5xl">{title}</h1>
        <p className="mt-4 text-sm text-muted-foreground">
          Ultimo aggiornamento: <time dateTime={legalVersion.date}>{legalVersion.day}</time> · Versione{' '}
          {legalVersion.number}
        </p>
        <p className="mt-5 max-w-2xl text-base text-pretty sm:text-xl">{intro}</p>
      </header>
      <nav aria-label="Indice" className="self-start border-y py-4 text-sm lg:sticky lg:top-20 lg:border-y-0 lg:py-0">
        <p className="font-semibold">Indice</p>
        <ol className="mt-2">
          {sections.map((section, index) => (
            <li key={section.id}>
              <a
                href={`#${section.id}`}
                className="inline-flex items-baseline gap-2 py-3 text-muted-foreground underline-offset-4 hover:text-foreground hover:underline lg:py-1.5"
              >
                <span className="tabular">{index + 1}.</span>
                {section.title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <article className="max-w-2xl divide-y [&_a]:text-primary [&_a]:underline [&_a]:underline-offset-4 [&_h3]:mt-6 [&_h3]:font-semibold [&_li]:mt-2 [&_p]:mt-4 [&_p]:text-pretty [&_ul]:mt-4 [&_ul]:list-disc [&_ul]:pl-5">
        {sections.map((section, index) => (
          <section key={section.id} id={section.id} className="scroll-mt-20 py-8 first:pt-0">
            <h2 className="font-display text-2xl font-medium text-balance">
              <span className="tabular">{index + 1}.</span> {section.title}
            </h2>
            {section.body}
          </section>
        ))}
      </article>
    </div>
  )
}

/** The last section of a legal page: what was changed in its text after the date of its version, newest first. */
export const textChanges = (changes: readonly LegalChange[]): LegalSection => ({
  id: 'modifiche-al-testo',
  title: 'Modifiche a questo testo',
  body: (
    <>
      <p>
        La versione {legalVersion.number} è del {legalVersion.day}. Da allora sono cambiate queste parti, ognuna con il
        suo giorno:
      </p>
      <Facts rows={changes.map(({ day, text }) => ({ term: longDay(day), value: text }))} />
    </>
  ),
})

/** Terms and what is said of them, each pair on a line of its own. */
export function Facts({ rows }: { rows: { term: string; value: string }[] }) {
  return (
    <dl className="mt-5 divide-y border-y text-sm">
      {rows.map(({ term, value }) => (
        <div key={term} className="grid gap-1 py-3 sm:grid-cols-[1fr_1fr] sm:gap-6">
          <dt className="font-medium">{term}</dt>
          <dd className="text-pretty text-muted-foreground tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
