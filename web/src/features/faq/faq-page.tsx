/** /faq: the eight questions. */
import { ChevronDownIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { paths } from '@/paths'
import { company } from '@/strings/company'
import { faq } from '@/strings/faq'

export default function FaqPage() {
  return (
    <div className="column grid max-w-3xl gap-10 py-10 sm:py-16">
      <header>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Domande frequenti</h1>
        <p className="mt-5 text-base text-pretty text-muted-foreground sm:text-xl">
          Le risposte che daremmo al telefono. Manca la tua? Scrivi a{' '}
          <a href={`mailto:${company.email}`} className="text-primary underline underline-offset-4">
            {company.email}
          </a>
          .
        </p>
      </header>
      <div className="divide-y border-y">
        {faq.map(({ q, a }, index) => (
          <details key={q} open={index === 0} className="group">
            <summary className="flex min-h-14 cursor-pointer list-none items-center justify-between gap-4 py-3 [&::-webkit-details-marker]:hidden">
              <h2 className="text-base font-semibold sm:text-xl">{q}</h2>
              <ChevronDownIcon aria-hidden className="size-5 shrink-0 transition-transform group-open:rotate-180" />
            </summary>
            <p className="pb-6 text-pretty text-muted-foreground">{a}</p>
          </details>
        ))}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button asChild>
          <Link to={paths.register}>Crea il tuo account</Link>
        </Button>
        <Button variant="outline" asChild>
          <Link to={paths.pricing}>Vedi i prezzi</Link>
        </Button>
      </div>
    </div>
  )
}
