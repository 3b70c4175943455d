import { ShieldCheckIcon } from 'lucide-react'
import { Link } from 'react-router'

import { useCatalog } from '@/data/catalog'
import { FoldedOnPhones } from '@/features/landing/folded-on-phones'
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

/** What anybody can check by themselves. */
const proofs = [
  ['Solo tue, per costruzione', 'Ogni riga ha un proprietario e lo controlla il database, a ogni lettura.'],
  ['Recesso in due clic', '«Recedere dal contratto qui», poi «Conferma recesso». Senza telefonate.'],
  ['In Europa', 'Server nell’Unione europea, GDPR rispettato, niente addestramento sui tuoi dati.'],
  ['Formati aperti', 'Contatti in CSV e vCard, fatture nel loro XML: entrano ed escono.'],
] as const

/** The 30-day guarantee: what, when, how; and what can be proved besides. */
export function Guarantee() {
  const { claims } = useCatalog()
  const { text, base } = claims['guarantee.days']
  return (
    <Section id="garanzia" title="Trenta giorni per ripensarci">
      <div className="grid gap-3 sm:gap-5 lg:grid-cols-[16rem_1fr] lg:gap-16">
        <p className="flex items-start gap-3 text-xl font-semibold">
          <ShieldCheckIcon aria-hidden className="size-7 shrink-0 text-primary" />
          {text}
        </p>
        <div>
          <dl className="grid gap-2 max-sm:text-sm sm:grid-cols-3 sm:gap-6">
            {rules.map(([term, detail]) => (
              <div key={term}>
                <dt className="text-sm font-semibold text-primary">{term}</dt>
                <dd className="text-pretty sm:mt-1">{detail}</dd>
              </div>
            ))}
          </dl>
          <SmallPrint className="mt-4">
            {base}. I dettagli sono nei{' '}
            <Link to={paths.termsOfService} className="underline underline-offset-2">
              termini di servizio
            </Link>
            .
          </SmallPrint>
        </div>
      </div>
      <div className="mt-4 sm:mt-10">
        <FoldedOnPhones summary="Quello che puoi controllare da te">
          <ul className="grid grid-cols-2 gap-x-4 text-sm sm:border-t sm:gap-x-8 lg:grid-cols-4">
            {proofs.map(([name, detail]) => (
              <li key={name} className="border-b py-3 text-pretty text-muted-foreground lg:border-b-0">
                <h3 className="font-semibold text-foreground">{name}</h3>
                {detail}
              </li>
            ))}
          </ul>
        </FoldedOnPhones>
      </div>
    </Section>
  )
}
