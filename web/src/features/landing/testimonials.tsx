import { Section, SmallPrint } from '@/features/landing/section'

type Testimonial = { name: string; role: string; before: string; after: string; text: string }

const testimonials: Testimonial[] = [
  {
    name: 'Marta Lodi',
    role: 'Architetta, studio individuale a Parma',
    before: 'Il venerdì pomeriggio a cercare chi non aveva risposto ai preventivi.',
    after: 'Venti minuti il lunedì, con la lista già in ordine.',
    text: 'Non mi fa lavorare di più. Mi fa smettere di tenere tutto in testa, che è un’altra cosa.',
  },
  {
    name: 'Officina Bonfanti',
    role: 'Carrozzeria, sei persone a Bergamo',
    before: 'Foto dei danni su quattro telefoni, fatture in una scatola.',
    after: 'Ogni auto ha la sua scheda, dal primo messaggio all’incasso.',
    text: 'Il cliente chiama e sappiamo subito chi è, che cosa gli abbiamo detto e se ha pagato.',
  },
  {
    name: 'Davide Serra',
    role: 'Consulente di marketing a Cagliari',
    before: 'Tre abbonamenti e un foglio di calcolo per tenerli insieme.',
    after: 'Un posto solo, e il foglio di calcolo non lo apro più.',
    text: 'La cosa che uso di più è la più semplice: al mattino mi dice da dove cominciare, e di solito ha ragione.',
  },
]

/** Three businesses, before and after. Sample texts, and said to be: a badge needs a proof. */
export function Testimonials() {
  return (
    <Section id="storie" title="Prima e dopo" raised>
      <ul className="grid gap-4 lg:grid-cols-3">
        {testimonials.map(({ name, role, before, after, text }) => (
          <li key={name}>
            <figure className="flex h-full flex-col rounded-xl border bg-background p-6">
              <dl className="grid gap-3 text-sm">
                <div>
                  <dt className="font-semibold text-muted-foreground">Prima</dt>
                  <dd className="text-pretty">{before}</dd>
                </div>
                <div>
                  <dt className="font-semibold text-primary">Dopo</dt>
                  <dd className="text-pretty">{after}</dd>
                </div>
              </dl>
              <blockquote className="mt-5 mb-6 border-t pt-5 font-display text-xl text-pretty">«{text}»</blockquote>
              <figcaption className="mt-auto text-sm">
                <span className="block font-semibold">{name}</span>
                <span className="text-muted-foreground">{role}</span>
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
      <SmallPrint className="mt-6">
        Storie di esempio: nomi e attività non sono di persone reali. Le sostituiremo con quelle dei clienti, con la
        prova.
      </SmallPrint>
    </Section>
  )
}
