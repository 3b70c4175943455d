import { ShieldCheckIcon } from 'lucide-react'
import { Link } from 'react-router'

import { useCatalog } from '@/data/catalog'
import { Section, SmallPrint } from '@/features/landing/section'
import { paths } from '@/paths'

const rules = [
  ['Che cosa', 'I crediti comprati che non hai usato, al prezzo che li hai pagati.'],
  ['Quando', 'Entro 30 giorni dall’acquisto, senza dover dire perché.'],
  [
    'Come',
    'In Impostazioni, alla voce Crediti, premi «Recedere dal contratto qui» e confermi. La ricevuta arriva per email.',
  ],
] as const

/** The 30-day guarantee: what, when, how. */
export function Guarantee() {
  const { claims } = useCatalog()
  const { text, base } = claims['guarantee.days']
  return (
    <Section id="garanzia" title="Trenta giorni per ripensarci">
      <div className="grid gap-8 lg:grid-cols-[16rem_1fr] lg:gap-16">
        <p className="flex items-start gap-3 text-xl font-semibold">
          <ShieldCheckIcon aria-hidden className="size-7 shrink-0 text-primary" />
          {text}
        </p>
        <div>
          <dl className="grid gap-6 sm:grid-cols-3">
            {rules.map(([term, detail]) => (
              <div key={term}>
                <dt className="text-sm font-semibold text-primary">{term}</dt>
                <dd className="mt-1 text-pretty">{detail}</dd>
              </div>
            ))}
          </dl>
          <SmallPrint className="mt-6">
            {base}. I dettagli sono nei{' '}
            <Link to={paths.termsOfService} className="underline underline-offset-2">
              termini di servizio
            </Link>
            .
          </SmallPrint>
        </div>
      </div>
    </Section>
  )
}
