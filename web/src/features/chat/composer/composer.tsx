/** Where one writes: text, files, voice; who answers and what it costs at most; send, or stop what is being said. */
import { useQuery } from '@tanstack/react-query'
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect } from 'react'

import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/textarea'
import { balanceQuery } from '@/data/wallet'
import { AgentMenu } from '@/features/chat/composer/agent-menu'
import { AttachButton } from '@/features/chat/composer/attach-button'
import { AttachmentChips } from '@/features/chat/composer/attachment-chips'
import { DictateButton } from '@/features/chat/composer/dictate-button'
import { changeDraft, useDraft } from '@/features/chat/composer/drafts'
import { Meter } from '@/features/chat/composer/meter'
import { SendButton } from '@/features/chat/composer/send-button'
import { MOST_ATTACHMENTS, useAttachments } from '@/features/chat/composer/use-attachments'
import type { useWish } from '@/features/chat/composer/use-wish'
import { WayMenu } from '@/features/chat/composer/way-menu'
import type { Refusal } from '@/features/chat/use-asking'
import { draftKey } from '@/lib/chat-drafts'
import { AI_NOTICE, modelText } from '@/strings/chat'
import { formatCount } from '@/strings/numbers'

type Props = {
  userId: string
  conversationId: string | null
  field: RefObject<HTMLTextAreaElement | null>
  ways: ReturnType<typeof useWish>
  /** The answer that is being given here. */
  runningId: string | null
  /** A question is on its way, and its answer has not begun. */
  isAsking: boolean
  refusal: Refusal | null
  onSend: (way?: 'locale') => void
  onStop: () => void
  onEditLast: () => void
}

/** Where a finger writes, the key «a capo» makes a new line: there is a button beside it. */
const isTouch = () => window.matchMedia('(pointer: coarse)').matches
/** So near to the limit it is told. */
const NEAR = 500

export function Composer(props: Props) {
  const { userId, conversationId, field, ways, runningId, isAsking, refusal, onSend, onStop, onEditLast } = props
  const at = draftKey(userId, conversationId)
  const draft = useDraft(at)
  const { data: balance } = useQuery(balanceQuery(userId))
  const { uploading, add } = useAttachments(userId, at)
  const setText = (text: string) => changeDraft(at, () => ({ text }))
  const isSending = uploading.some(({ state }) => state !== 'failed')
  const isTooLong = draft.text.length > ways.longest
  const isEmpty = draft.text.trim() === ''
  const isShort = balance !== undefined && ways.quote > balance
  const room = MOST_ATTACHMENTS - draft.attachments.length - uploading.length
  const attach = (files: File[]) => add(files.slice(0, Math.max(0, room)))
  const canSend = !isEmpty && !isSending && !isTooLong && !isAsking && runningId === null

  useEffect(() => {
    if (!isTouch()) field.current?.focus({ preventScroll: true })
  }, [field])

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    // While an input method composes, its keys are its own.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey && !isTouch()) {
      event.preventDefault()
      if (canSend && !isShort) onSend()
    } else if (event.key === 'Escape' && runningId !== null) {
      event.preventDefault()
      onStop()
    } else if (event.key === 'ArrowUp' && draft.text === '') {
      event.preventDefault()
      onEditLast()
    }
  }

  function onPaste(event: ClipboardEvent) {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    attach(files)
  }

  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-1.5">
      {ways.settings?.ai_stopped && (
        <p role="status" className="rounded-md bg-warning-tint px-3 py-2 text-sm text-pretty">
          Abbiamo fermato l’IA per tutti, per il momento: rispondo in modalità locale, a 0 crediti. Il resto funziona.
        </p>
      )}
      {refusal && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-error-tint px-3 py-2 text-sm"
        >
          <p className="min-w-0 flex-1 basis-52">{refusal.text}</p>
          {refusal.isOfModel && (
            <Button size="sm" variant="outline" disabled={!canSend} onClick={() => onSend('locale')}>
              Rispondi in modalità locale
            </Button>
          )}
        </div>
      )}
      <div className="rounded-xl border border-input bg-card focus-within:border-primary focus-within:outline-1 focus-within:outline-ring">
        <AttachmentChips
          uploading={uploading}
          attachments={draft.attachments}
          onRemove={(id) =>
            changeDraft(at, ({ attachments }) => ({ attachments: attachments.filter((one) => one.id !== id) }))
          }
        />
        <Textarea
          ref={field}
          aria-label="Scrivi a Socio"
          placeholder="Chiedi qualcosa sul tuo lavoro"
          rows={1}
          value={draft.text}
          enterKeyHint={isTouch() ? 'enter' : 'send'}
          className="field-sizing-content max-h-[40dvh] min-h-12 resize-none border-0 bg-transparent px-3.5 py-3 focus-visible:outline-none"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div className="flex flex-wrap items-center gap-x-0.5 gap-y-1 px-1.5 pb-1.5">
          <AttachButton isFull={room <= 0} onFiles={attach} />
          <DictateButton
            onWords={(words) =>
              changeDraft(at, ({ text }) => ({ text: text === '' ? words : `${text.trimEnd()} ${words}` }))
            }
          />
          <AgentMenu agent={ways.wish.agent} onChange={ways.setAgent} />
          <WayMenu way={ways.way} agent={ways.wish.agent} settings={ways.settings} onChange={ways.setWay} />
          <div className="ml-auto">
            <SendButton
              runningId={runningId}
              canSend={canSend}
              isAsking={isAsking}
              isShort={isShort && !isEmpty}
              onSend={onSend}
              onStop={onStop}
            />
          </div>
        </div>
      </div>
      {draft.text.length > ways.longest - NEAR && (
        <p
          role="status"
          className={isTooLong ? 'text-xs font-medium text-error tabular' : 'text-xs text-muted-foreground tabular'}
        >
          {formatCount(draft.text.length)} di {formatCount(ways.longest)} caratteri
        </p>
      )}
      {isSending && (
        <p className="sr-only" role="status">
          Caricamento degli allegati in corso
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 px-1 text-xs text-muted-foreground max-sm:justify-center">
        <p className="text-pretty">
          {AI_NOTICE}
          {ways.settings && ways.way !== 'locale' && ` ${modelText(ways.settings.provider, ways.settings.in_eu)}.`}
        </p>
        <Meter runningId={runningId} quote={ways.quote} balance={balance} isKnown={ways.isKnown} />
      </div>
    </div>
  )
}
