import { Badge } from '@/components/ui/badge'
import { Section } from '@/features/landing/section'
import { SwipeRow } from '@/features/landing/swipe-row'

type Testimonial = { name: string; role: string; before: string; after: string; text: string }

const testimonials: Testimonial[] = [
  {
    name: 'Uno studio di architettura',
    role: 'Una persona, preventivi lunghi',
    before: 'Il venerdì pomeriggio a cercare chi non ha risposto ai preventivi.',
    after: 'Venti minuti il lunedì, con la lista già in ordine.',
    text: 'Non si lavora di più: si smette di tenere tutto in testa.',
  },
  {
    name: 'Una carrozzeria',
    role: 'Sei persone, molti clienti al giorno',
    before: 'Foto dei danni su quattro telefoni, fatture in una scatola.',
    after: 'Ogni cliente ha la sua scheda, dalla prima nota all’incasso.',
    text: 'Di chi chiama si sa subito chi è, che cosa gli è stato detto e se ha pagato.',
  },
  {
    name: 'Una consulente di marketing',
    role: 'Lavora da sola, in forfettario',
    before: 'Tre abbonamenti e un foglio di calcolo per tenerli insieme.',
    after: 'Un posto solo, e il foglio di calcolo si chiude.',
    text: 'Al mattino c’è scritto da dove cominciare, e perché.',
  },
]

/** Three businesses, before and after: invented, and said to be first of all. A real one needs a proof. */
export function Testimonials() {
  return (
    <Section
      id="storie"
      title="Prima e dopo"
      intro="Tre esempi inventati, non testimonianze: quelle vere arriveranno con i clienti, e con la prova."
      raised
    >
      <SwipeRow label="Esempi" className="sm:grid sm:gap-3 lg:grid-cols-3">
        {testimonials.map(({ name, role, before, after, text }) => (
          <li key={name}>
            <figure className="flex h-full flex-col gap-2 rounded-xl border bg-background p-4 text-sm sm:p-6">
              <figcaption>
                <span className="flex flex-wrap items-center justify-between gap-2 font-semibold">
                  {name}
                  <Badge variant="secondary">Esempio</Badge>
                </span>
                <span className="hidden text-muted-foreground sm:inline">{role}</span>
              </figcaption>
              <dl className="grid gap-1 text-pretty">
                <div>
                  <dt className="inline font-semibold text-muted-foreground">Prima: </dt>
                  <dd className="inline">{before}</dd>
                </div>
                <div>
                  <dt className="inline font-semibold text-primary">Dopo: </dt>
                  <dd className="inline">{after}</dd>
                </div>
              </dl>
              <p className="hidden text-pretty text-muted-foreground sm:block">{text}</p>
            </figure>
          </li>
        ))}
      </SwipeRow>
    </Section>
  )
}
