import type { ReactNode } from 'react'

import { FoldedOnPhones } from '@/features/landing/folded-on-phones'
import { scenes } from '@/features/landing/scenes'
import { Section } from '@/features/landing/section'
import { SwipeRow } from '@/features/landing/swipe-row'

const also: readonly { title: string; text: string }[] = [
  { title: 'CRM', text: 'Contatti, trattative e consensi; importi da CSV, vCard o Excel ed esporti quando vuoi.' },
  { title: 'Attività e progetti', text: 'Ogni impegno accanto al cliente e al documento da cui nasce.' },
  { title: 'Cinque agenti, un consiglio', text: 'Guardano la stessa domanda e dicono dove non concordano.' },
  {
    title: 'Obiettivi in autonomia',
    text: 'Scegli il traguardo, leggi il piano e dai il mandato: l’ultima parola resta tua.',
  },
  { title: 'Email e WhatsApp', text: 'Le conversazioni accanto al cliente e alla fattura; rispondi da lì.' },
]

/** What Socio does: three scenes of a day, and the rest in a line each. */
export function Features() {
  return (
    <Section id="funzioni" title="Otto cose che smetti di fare a mano">
      <SwipeRow label="Tre momenti" className="sm:grid sm:gap-8 lg:grid-cols-3">
        {scenes.map(({ title, text, asked, shown }) => (
          <li key={title} className="grid content-start gap-3">
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
              <p className="mt-1.5 text-pretty text-muted-foreground max-sm:text-sm">{text}</p>
            </div>
          </li>
        ))}
      </SwipeRow>
      <div className="mt-5 sm:mt-8">
        <FoldedOnPhones summary="E le altre cinque">
          <ul className="grid gap-x-8 sm:border-t sm:grid-cols-2">
            {also.map(({ title, text }) => (
              <li key={title} className="border-b py-2 text-sm sm:py-3 text-pretty text-muted-foreground">
                <h3 className="inline font-semibold text-foreground">{title}.</h3> {text}
              </li>
            ))}
          </ul>
        </FoldedOnPhones>
      </div>
    </Section>
  )
}

/** A piece of the product on sample data. */
function Shown({ asked, children }: { asked: string; children: ReactNode }) {
  return (
    <div className="rounded-xl border bg-card p-4 text-sm sm:p-5">
      <p className="font-display text-xl">{asked}</p>
      <dl className="mt-2 divide-y border-t max-sm:[&>div]:py-1.5">{children}</dl>
    </div>
  )
}
