/** Answers by WhatsApp: a free text while the window of 24 hours is open, an approved template otherwise. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import { useSendWhatsapp, whatsappAccountQuery, type WhatsappChat, type WhatsappDraft } from '@/data/whatsapp'
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

export function WhatsappComposer({ userId, chat }: { userId: string; chat: WhatsappChat }) {
  const { data: account } = useQuery(whatsappAccountQuery(userId))
  const now = useNow(15_000)
  const [usesTemplate, setUsesTemplate] = useState(false)
  const left = chat.window_expires_at && timeLeft(chat.window_expires_at, now + MARGIN_MS)
  const hasWrittenSince = Boolean(chat.stopped_at && chat.last_inbound_at && chat.last_inbound_at > chat.stopped_at)

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
        <Answer userId={userId} chat={chat} />
      ) : (
        <WhatsappTemplateForm userId={userId} chat={chat} isOutside={!left} onSent={() => setUsesTemplate(false)} />
      )}
    </div>
  )
}

function Answer({ userId, chat }: { userId: string; chat: WhatsappChat }) {
  const send = useSendWhatsapp(userId)
  const [text, setText] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [error, setError] = useState('')

  async function onSend(event?: FormEvent) {
    event?.preventDefault()
    if (send.isPending || !text.trim()) return
    setError('')
    try {
      const draft: WhatsappDraft = { key, channel_id: chat.id, body: text }
      await send.mutateAsync(draft)
      setText('')
      setKey(crypto.randomUUID())
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
      <Textarea
        aria-label="Risposta"
        placeholder="Scrivi una risposta"
        rows={2}
        value={text}
        maxLength={4096}
        aria-invalid={Boolean(error)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {error && (
        <p role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
      <Button type="submit" className="justify-self-end" disabled={send.isPending || !text.trim()}>
        {send.isPending && <Spinner aria-hidden />}
        Invia
      </Button>
    </form>
  )
}
