import { ArrowUpIcon } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { type Answer, answerTo, suggestions } from '@/features/landing/sample-answers'
import { SmallPrint } from '@/features/landing/section'

/** A trial without an account: answers with their sources, on sample data, in the browser. */
export function TryIt() {
  const id = useId()
  // The field keeps its own value: somebody may have typed before this script was there.
  const field = useRef<HTMLInputElement>(null)
  const [answer, setAnswer] = useState<Answer | null>(null)

  function ask(question: string): void {
    if (field.current) field.current.value = question
    setAnswer(answerTo(question))
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const question = field.current?.value.trim()
    if (question) ask(question)
  }

  return (
    <section aria-label="Prova Socio su un’attività di esempio" className="border-t">
      <div className="column grid gap-4 py-7 sm:gap-8 sm:py-12 lg:grid-cols-[1fr_1.4fr] lg:gap-16">
        <div>
          <p className="font-display text-2xl font-medium text-balance">Provalo qui, senza account.</p>
          <p className="mt-3 text-pretty text-muted-foreground">
            Fai una domanda a un’attività di esempio. Ogni risposta dice da dove viene.
          </p>
        </div>
        <div>
          <form onSubmit={submit} className="flex gap-2">
            <label htmlFor={id} className="sr-only">
              La tua domanda
            </label>
            <Input id={id} ref={field} maxLength={200} placeholder="Scrivi «fatture scadute»" autoComplete="off" />
            <Button type="submit" size="icon" aria-label="Chiedi">
              <ArrowUpIcon aria-hidden />
            </Button>
          </form>
          <ul aria-label="Domande pronte" className="mt-3 flex flex-wrap gap-2">
            {suggestions.map((suggestion) => (
              <li key={suggestion}>
                <Button variant="outline" onClick={() => ask(suggestion)}>
                  {suggestion}
                </Button>
              </li>
            ))}
          </ul>
          <div role="status" className="mt-4">
            {answer && <Reply answer={answer} />}
          </div>
          <SmallPrint className="mt-4">
            Dati inventati, nessun modello esterno: la domanda resta nel tuo browser e non costa crediti.
          </SmallPrint>
        </div>
      </div>
    </section>
  )
}

function Reply({ answer: { text, sources } }: { answer: Answer }) {
  return (
    <div className="rounded-xl border bg-card p-5">
      <p className="text-pretty">{text}</p>
      {sources.length > 0 && (
        <ul aria-label="Fonti" className="mt-4 divide-y border-t text-sm">
          {sources.map(({ title, detail }) => (
            <li key={title} className="flex flex-wrap justify-between gap-x-4 py-2.5">
              <span className="font-medium">{title}</span>
              <span className="text-muted-foreground tabular">{detail}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
