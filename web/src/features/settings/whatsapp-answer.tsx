/** The automatic answer by WhatsApp in the settings: when, in which words, and what it would say now. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { RadioCard } from '@/components/radio-card'
import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import type { Enums } from '@/data/tables'
import {
  type AnswerChoice,
  usePreviewAnswer,
  useSaveWhatsappSettings,
  type WhatsappSettings,
  whatsappSettingsQuery,
} from '@/data/whatsapp-settings'

const WHEN = {
  mai: 'Mai',
  fuori_orario: 'Fuori dall’orario di lavoro',
  sempre: 'Sempre',
  ferie: 'In ferie, fino a un giorno',
} satisfies Record<Enums<'whatsapp_answer_when'>, string>

export function WhatsappAnswer({ userId }: { userId: string }) {
  const { data } = useQuery(whatsappSettingsQuery(userId))
  return (
    <section aria-label="Risposta automatica" className="grid gap-3 text-sm">
      <h3 className="font-medium">Risposta automatica</h3>
      <p className="text-muted-foreground">
        A chi ti scrive, una volta ogni 24 ore e solo se non rispondi tu entro un minuto. Il messaggio dice che è
        automatico, e la conversazione resta da gestire.
      </p>
      {data ? <AnswerForm userId={userId} settings={data} /> : <Skeleton aria-busy className="h-40" />}
    </section>
  )
}

function AnswerForm({ userId, settings }: { userId: string; settings: WhatsappSettings }) {
  const save = useSaveWhatsappSettings(userId)
  const preview = usePreviewAnswer()
  const [when, setWhen] = useState(settings.answer_when)
  const [text, setText] = useState(settings.answer_text ?? '')
  const [until, setUntil] = useState(settings.answer_until ?? '')
  const choice: AnswerChoice = {
    answer_when: when,
    answer_text: text.trim() || null,
    answer_until: when === 'ferie' ? until || null : null,
  }
  const isOpen = when === 'ferie' && !until

  function change(set: () => void) {
    set()
    preview.reset()
  }
  function onSave() {
    save.mutate(choice, { onSuccess: () => toast.success('Risposta automatica salvata'), onError: tellFailure })
  }

  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="sr-only">Quando rispondere</legend>
        {Object.entries(WHEN).map(([key, label]) => (
          <RadioCard
            key={key}
            name="answer_when"
            value={key}
            checked={when === key}
            onChange={() => change(() => setWhen(key as keyof typeof WHEN))}
          >
            {label}
          </RadioCard>
        ))}
      </fieldset>
      {when === 'ferie' && (
        <div className="grid gap-2">
          <Label htmlFor="answer-until">Ultimo giorno di ferie</Label>
          <Input
            id="answer-until"
            type="date"
            required
            value={until}
            className="w-full sm:w-48"
            onChange={({ target }) => change(() => setUntil(target.value))}
          />
        </div>
      )}
      {when !== 'mai' && (
        <>
          <div className="grid gap-2">
            <Label htmlFor="answer-text">Testo</Label>
            <Textarea
              id="answer-text"
              rows={3}
              maxLength={1000}
              value={text}
              placeholder="Vuoto: un testo già pronto, con i tuoi orari di lavoro"
              onChange={({ target }) => change(() => setText(target.value))}
            />
          </div>
          {preview.data && (
            <div role="status" className="grid gap-1 rounded-lg border bg-secondary p-3 text-secondary-foreground">
              <p className="break-words whitespace-pre-wrap">{preview.data.body}</p>
              <p className="text-xs">
                {preview.data.leaves_now
                  ? 'Chi ti scrive adesso la riceverebbe.'
                  : 'Chi ti scrive adesso non la riceverebbe.'}
              </p>
            </div>
          )}
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={save.isPending || isOpen}>
          Salva la risposta
        </Button>
        {when !== 'mai' && (
          <Button
            type="button"
            variant="outline"
            disabled={preview.isPending || isOpen}
            onClick={() => preview.mutate(choice, { onError: tellFailure })}
          >
            Prova senza inviare
          </Button>
        )}
      </div>
    </form>
  )
}
