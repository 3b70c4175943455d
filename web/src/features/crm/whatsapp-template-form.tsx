/** Sends an approved template: its places are filled in, and what leaves is shown before. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { isSoon } from '@/components/mail-fields'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { useSendWhatsapp, type WhatsappChat, type WhatsappTemplate, whatsappTemplatesQuery } from '@/data/whatsapp'
import { NoTemplates } from '@/features/crm/no-templates'
import { FunctionError } from '@/lib/server-errors'
import { fullDate } from '@/strings/dates'
import { templateCategories } from '@/strings/whatsapp'

type Props = { userId: string; chat: WhatsappChat; isOutside: boolean; onSent: () => void }

export function WhatsappTemplateForm({ userId, chat, isOutside, onSent }: Props) {
  const id = useId()
  const { data, isError, refetch } = useQuery(whatsappTemplatesQuery(userId))
  const [chosenId, setChosenId] = useState('')
  if (isError && !data) return <LoadError text="Non riusciamo a leggere i modelli." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-24" />
  const usable = data.filter(({ state, is_usable }) => state === 'APPROVED' && is_usable)
  const chosen = usable.find((template) => template.id === chosenId) ?? usable[0]
  if (!chosen) return <NoTemplates />
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border p-3">
      <div className="grid gap-1.5">
        <Label htmlFor={id}>Modello</Label>
        <Select id={id} value={chosen.id} onChange={(event) => setChosenId(event.target.value)}>
          {usable.map((template) => (
            <option key={template.id} value={template.id}>
              {template.name}
            </option>
          ))}
        </Select>
        <p className="text-sm text-muted-foreground">{templateCategories[chosen.category] ?? chosen.category}</p>
      </div>
      <Places key={chosen.id} userId={userId} chat={chat} template={chosen} isOutside={isOutside} onSent={onSent} />
    </div>
  )
}

function Places({ userId, chat, template, isOutside, onSent }: Props & { template: WhatsappTemplate }) {
  const id = useId()
  const send = useSendWhatsapp(userId)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [values, setValues] = useState<Record<string, string>>(() =>
    template.places.includes('nome') ? { nome: chat.contacts?.name.split(' ')[0] ?? '' } : {},
  )
  const [isAtOnce, setAtOnce] = useState(false)
  const [error, setError] = useState('')
  const preview = template.places.reduce(
    (text, place) => text.replaceAll(`{{${place}}}`, values[place]?.trim() || `[${place}…]`),
    template.body,
  )

  async function onSend(event: FormEvent) {
    event.preventDefault()
    if (send.isPending) return
    setError('')
    try {
      const sent = await send.mutateAsync({
        key,
        channel_id: chat.id,
        template_id: template.id,
        values,
        is_at_once: isAtOnce,
      })
      setKey(crypto.randomUUID())
      if (!isSoon(sent.not_before)) toast(`Parte ${fullDate(sent.not_before)}`)
      onSent()
    } catch (failure) {
      setError(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a inviare: riprova')
    }
  }

  return (
    <form noValidate className="grid grid-cols-[minmax(0,1fr)] gap-3" onSubmit={(event) => void onSend(event)}>
      {template.places.map((place) => (
        <div key={place} className="grid gap-1.5">
          <Label htmlFor={`${id}-${place}`}>{place}</Label>
          <Input
            id={`${id}-${place}`}
            value={values[place] ?? ''}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setValues({ ...values, [place]: event.target.value })}
          />
        </div>
      ))}
      <p aria-label="Anteprima" className="rounded-md bg-muted px-3 py-2 text-sm break-words whitespace-pre-wrap">
        {preview}
      </p>
      {isOutside && template.category === 'UTILITY' && (
        <label className="flex min-h-11 items-center gap-2.5 text-sm">
          <input
            type="checkbox"
            className="size-4.5 accent-primary"
            checked={isAtOnce}
            onChange={(event) => setAtOnce(event.target.checked)}
          />
          Invia subito, anche di sera o nei giorni festivi
        </label>
      )}
      {error && (
        <p role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
      <Button type="submit" className="justify-self-end" disabled={send.isPending}>
        {send.isPending && <Spinner aria-hidden />}
        Invia il modello
      </Button>
    </form>
  )
}
