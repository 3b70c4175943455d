import { ArrowRightIcon, ChevronDownIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { useCatalog } from '@/data/catalog'
import { Section } from '@/features/landing/section'
import { paths } from '@/paths'
import { faq, FAQ_ON_LANDING } from '@/strings/faq'

/** The first four of the eight questions. */
export function FirstQuestions() {
  const { claims } = useCatalog()
  return (
    <Section id="domande" title="Quello che chiedono tutti">
      <div className="max-w-3xl divide-y border-y">
        {faq.slice(0, FAQ_ON_LANDING).map(({ q, a }) => (
          <details key={q} className="group">
            <summary className="flex min-h-12 cursor-pointer list-none items-center justify-between gap-4 py-3 text-base font-semibold sm:text-xl [&::-webkit-details-marker]:hidden">
              {q}
              <ChevronDownIcon aria-hidden className="size-5 shrink-0 transition-transform group-open:rotate-180" />
            </summary>
            <p className="pb-6 text-pretty text-muted-foreground">{a}</p>
          </details>
        ))}
      </div>
      <p className="mt-3 text-sm sm:mt-4 text-muted-foreground">
        {claims['faq.on_landing'].text} di {faq.length}.
      </p>
      <Button variant="outline" asChild className="mt-3 sm:mt-4">
        <Link to={paths.faq}>
          Vedi tutte le domande
          <ArrowRightIcon aria-hidden />
        </Link>
      </Button>
    </Section>
  )
}
