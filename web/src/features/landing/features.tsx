import type { ReactNode } from 'react'

import { Badge } from '@/components/ui/badge'
import { Section } from '@/features/landing/section'

type Scene = { title: string; text: string; asked: string; shown: readonly (readonly [name: string, detail: string])[] }

const scenes: readonly Scene[] = [
  {
    title: 'Chiedi, e risponde con le fonti',
    text: 'Chat con memoria condivisa: sa chi è Studio Belli, che cosa gli hai promesso e quando. Ogni cifra porta alla riga da cui viene.',
    asked: '«Chi deve ancora pagarmi?»',
    shown: [
      ['Fattura 18', 'Ottica Bianchi · 1.250,00 €'],
      ['Fattura 21', 'Officina Nord · 640,00 €'],
    ],
  },
  {
    title: 'Carichi un documento, la scadenza è già in agenda',
    text: 'Scontrini, contratti, FatturaPA: Socio li legge con l’OCR, trova importi e date e li mette accanto al cliente giusto.',
    asked: 'bolletta-novembre.pdf',
    shown: [
      ['Importo', '312,00 €'],
      ['Scadenza', '30 novembre, diventata un’attività'],
    ],
  },
  {
    title: 'La mattina sai da dove cominciare',
    text: 'Briefing e suggerimenti nell’app e per email: tre cose, con il perché. CRM, attività e incassi nella stessa pagina.',
    asked: 'Oggi',
    shown: [
      ['Sollecita Ottica Bianchi', 'in ritardo di 12 giorni'],
      ['Richiama Studio Belli', 'preventivo fermo da 6 giorni'],
    ],
  },
]

const also: readonly { title: string; text: string; isSoon?: boolean }[] = [
  { title: 'CRM', text: 'Contatti, trattative e consensi; importi da CSV, vCard o Excel ed esporti quando vuoi.' },
  { title: 'Attività e progetti', text: 'Ogni impegno accanto al cliente e al documento da cui nasce.' },
  { title: 'Cinque agenti, un consiglio', text: 'Guardano la stessa domanda e dicono dove non concordano.' },
  {
    title: 'Obiettivi in autonomia',
    text: 'Prepara i passi verso un traguardo; l’ultima parola resta tua.',
    isSoon: true,
  },
  { title: 'Email e WhatsApp', text: 'Riassume le conversazioni e prepara la risposta, che invii tu.', isSoon: true },
]

/** What Socio does: three scenes of a day, and the rest in a line each. */
export function Features() {
  return (
    <Section id="funzioni" title="Otto cose che smetti di fare a mano">
      <div className="grid gap-8 lg:grid-cols-3">
        {scenes.map(({ title, text, asked, shown }) => (
          <article key={title} className="grid content-start gap-4">
            <Shown asked={asked}>
              {shown.map(([name, detail]) => (
                <div key={name} className="flex flex-wrap justify-between gap-x-3 py-2">
                  <dt className="font-medium">{name}</dt>
                  <dd className="text-muted-foreground tabular">{detail}</dd>
                </div>
              ))}
            </Shown>
            <div>
              <h3 className="text-base font-semibold sm:text-xl">{title}</h3>
              <p className="mt-1.5 text-pretty text-muted-foreground">{text}</p>
            </div>
          </article>
        ))}
      </div>
      <ul className="mt-8 grid gap-x-8 border-t sm:grid-cols-2">
        {also.map(({ title, text, isSoon }) => (
          <li key={title} className="border-b py-3 text-sm text-pretty text-muted-foreground">
            <h3 className="inline font-semibold text-foreground">{title}.</h3> {text}{' '}
            {isSoon && <Badge variant="secondary">In arrivo</Badge>}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** A piece of the product on sample data. */
function Shown({ asked, children }: { asked: string; children: ReactNode }) {
  return (
    <div className="rounded-xl border bg-card p-4 text-sm sm:p-5">
      <p className="font-display text-xl">{asked}</p>
      <dl className="mt-2 divide-y border-t">{children}</dl>
    </div>
  )
}
