/** «Chiedi al documento»: the passages that answer, word by word and with their page; nothing is made up. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { AskAssistant } from '@/components/ask-assistant'
import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import { askDocument, boxesOf, type Passage, type WholeDocument } from '@/data/document'
import type { Place } from '@/features/document/places'

type Props = { document: WholeDocument; onShow: (place: Place) => void }

export function AskCard({ document, onShow }: Props) {
  const id = useId()
  const [question, setQuestion] = useState('')
  const ask = useMutation({ mutationFn: (text: string) => askDocument(document.id, text) })

  function send(event: FormEvent) {
    event.preventDefault()
    if (question.trim()) ask.mutate(question.trim())
  }

  async function show({ page, word_from: from, word_to: to }: Passage) {
    try {
      const boxes = await boxesOf(document.id, page, from, to)
      onShow({ page, boxes, span: [from, to] })
    } catch {
      toast.error('Non riusciamo a leggere la pagina: riprova')
    }
  }

  return (
    <Card className="gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Label htmlFor={id} className="text-base font-semibold">
          Chiedi al documento
        </Label>
        <Badge variant="secondary">Modalità locale · 0 crediti</Badge>
      </div>
      <form className="flex gap-2" onSubmit={send}>
        <Input
          id={id}
          value={question}
          maxLength={300}
          placeholder="Quando scade il pagamento?"
          onChange={(event) => setQuestion(event.target.value)}
        />
        <Button disabled={ask.isPending}>{ask.isPending ? <Spinner aria-hidden /> : 'Chiedi'}</Button>
      </form>
      <div aria-live="polite" className="grid gap-3">
        {ask.isError && (
          <LoadError
            text="Non riusciamo a cercare la risposta."
            onRetry={() => ask.variables && ask.mutate(ask.variables)}
          />
        )}
        {ask.data?.length === 0 && (
          <p className="text-sm">
            In questo documento non trovo un passaggio che risponda. Prova con le parole che potrebbero esserci scritte.
          </p>
        )}
        {ask.data?.map((passage) => (
          <figure key={`${passage.page}-${passage.word_from}`} className="grid gap-1 border-l-2 border-primary pl-3">
            <blockquote className="text-sm break-words">«{passage.quote}»</blockquote>
            <figcaption>
              <Button variant="link" size="sm" className="px-0" onClick={() => void show(passage)}>
                Vai a pagina {passage.page}
              </Button>
            </figcaption>
          </figure>
        ))}
      </div>
      <AskAssistant
        question={`Cerca nel documento «${document.filename}»: `}
        className="justify-self-start self-start"
      />
      <p className="text-xs text-muted-foreground">
        Le risposte sono frasi del documento, citate così come sono scritte: nessun dato lascia il tuo spazio.
      </p>
    </Card>
  )
}
