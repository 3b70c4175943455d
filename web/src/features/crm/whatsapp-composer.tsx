/** Answers by WhatsApp: a free text or a file while the window of 24 hours is open, an approved template otherwise. */
import { useQuery } from '@tanstack/react-query'
import { PaperclipIcon, XIcon } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import {
  useSendWhatsapp,
  whatsappAccountQuery,
  type WhatsappChat,
  type WhatsappDraft,
  type WhatsappFile,
} from '@/data/whatsapp'
import { WhatsappFileDialog } from '@/features/crm/whatsapp-file-dialog'
import { WhatsappTemplateForm } from '@/features/crm/whatsapp-template-form'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { timeLeft, whatsappAccountStates } from '@/strings/whatsapp'

/** The window is closed a little earlier for whoever types: a message needs a moment to leave. */
const MARGIN_MS = 60_000

function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  return now
}

type Props = { userId: string; chat: WhatsappChat; onSent: (() => void) | undefined }

export function WhatsappComposer({ userId, chat, onSent }: Props) {
  const { data: account } = useQuery(whatsappAccountQuery(userId))
  const now = useNow(15_000)
  const [usesTemplate, setUsesTemplate] = useState(false)
  const left = chat.window_expires_at && timeLeft(chat.window_expires_at, now + MARGIN_MS)
  const hasWrittenSince = Boolean(chat.stopped_at && chat.last_inbound_at && chat.last_inbound_at > chat.stopped_at)

  function onTemplateSent() {
    setUsesTemplate(false)
    onSent?.()
  }

  if (account === undefined) return null
  if (account === null || account.state !== 'attivo')
    return (
      <p className="text-sm text-muted-foreground">
        {account
          ? `Il numero non può inviare: ${whatsappAccountStates[account.state].toLowerCase()}. `
          : 'Nessun numero WhatsApp è collegato. '}
        <Link className="underline" to={paths.settingsChannels}>
          Vai ai canali
        </Link>
      </p>
    )
  if (chat.stopped_at && !hasWrittenSince)
    return (
      <p role="status" className="rounded-md bg-warning-tint px-4 py-3 text-sm">
        Questa persona ha chiesto di non ricevere altri messaggi. Puoi rispondere se ti scrive di nuovo.
      </p>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-sm text-muted-foreground">
          {left
            ? `Puoi rispondere ancora per ${left}`
            : 'Sono passate 24 ore dall’ultimo messaggio: ora serve un modello'}
        </p>
        {left && (
          <Button variant="ghost" size="sm" onClick={() => setUsesTemplate(!usesTemplate)}>
            {usesTemplate ? 'Scrivi una risposta' : 'Usa un modello'}
          </Button>
        )}
      </div>
      {left && !usesTemplate ? (
        <Answer userId={userId} chat={chat} onSent={onSent} />
      ) : (
        <WhatsappTemplateForm userId={userId} chat={chat} isOutside={!left} onSent={onTemplateSent} />
      )}
    </div>
  )
}

function Answer({ userId, chat, onSent }: Props) {
  const send = useSendWhatsapp(userId)
  const [text, setText] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [error, setError] = useState('')
  const [file, setFile] = useState<WhatsappFile | null>(null)
  const [isChoosing, setChoosing] = useState(false)

  async function onSend(event?: FormEvent) {
    event?.preventDefault()
    if (send.isPending || !(text.trim() || file)) return
    setError('')
    try {
      const { name: _, ...carried } = file ?? { name: '' }
      const draft: WhatsappDraft = { key, channel_id: chat.id, body: text, ...carried }
      await send.mutateAsync(draft)
      setText('')
      setFile(null)
      setKey(crypto.randomUUID())
      onSent?.()
    } catch (failure) {
      setError(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a inviare: riprova')
    }
  }

  // As in WhatsApp: Enter sends, Shift+Enter begins a line.
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void onSend()
  }

  return (
    <form noValidate className="grid grid-cols-[minmax(0,1fr)] gap-2" onSubmit={(event) => void onSend(event)}>
      {file && (
        <p className="flex min-w-0 items-center gap-2 rounded-md bg-muted pl-3 text-sm">
          <PaperclipIcon aria-hidden className="size-4 shrink-0" />
          <span className="mr-auto truncate">{file.name}</span>
          <Button
            type="button"
            variant="ghost"
            size="icon"
            aria-label={`Togli ${file.name}`}
            onClick={() => setFile(null)}
          >
            <XIcon aria-hidden />
          </Button>
        </p>
      )}
      <Textarea
        aria-label="Risposta"
        placeholder={file ? 'Aggiungi un testo, se vuoi' : 'Scrivi una risposta'}
        rows={2}
        value={text}
        maxLength={file ? 1024 : 4096}
        aria-invalid={Boolean(error)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {error && (
        <p role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
      <div className="flex justify-between gap-2">
        <Button type="button" variant="outline" onClick={() => setChoosing(true)}>
          <PaperclipIcon aria-hidden /> Allega
        </Button>
        <Button type="submit" disabled={send.isPending || !(text.trim() || file)}>
          {send.isPending && <Spinner aria-hidden />}
          Invia
        </Button>
      </div>
      {isChoosing && (
        <WhatsappFileDialog userId={userId} chat={chat} onChoose={setFile} onClose={() => setChoosing(false)} />
      )}
    </form>
  )
}
