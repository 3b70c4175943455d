/** One message of a conversation, with its ticks, what it quotes, and what can be done about it. */
import { CheckCheckIcon, CheckIcon, ClockIcon, TriangleAlertIcon } from 'lucide-react'
import { toast } from 'sonner'

import { isSoon } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { useCancelWhatsapp, useDecideWhatsapp, type WhatsappMessage } from '@/data/whatsapp'
import { WhatsappMedia } from '@/features/crm/whatsapp-media'
import { WhatsappVoice } from '@/features/crm/whatsapp-voice'
import { cn } from '@/lib/cn'
import { fullDate, timeOfDay } from '@/strings/dates'
import { whatsappErrors, whatsappStates } from '@/strings/whatsapp'

type Props = {
  userId: string
  message: WhatsappMessage
  quoted: WhatsappMessage | undefined
  reaction: string | undefined
  /** The one that is looked for: it comes into view, has the focus, and is outlined for a few seconds. */
  isTarget: boolean
}

function reveal(element: HTMLElement | null) {
  element?.scrollIntoView({ block: 'center' })
  element?.focus({ preventScroll: true })
}

export function WhatsappBubble({ userId, message, quoted, reaction, isTarget }: Props) {
  const isOurs = message.direction === 'uscita'
  return (
    <li
      ref={isTarget ? reveal : undefined}
      tabIndex={isTarget ? -1 : undefined}
      className={cn(
        'grid max-w-[85%] min-w-0 gap-1 justify-self-start rounded-lg border px-3 py-2 text-sm',
        isOurs && 'justify-self-end bg-secondary text-secondary-foreground',
        isTarget &&
          'relative after:pointer-events-none after:absolute after:-inset-px after:rounded-lg after:outline-2 after:outline-primary motion-safe:after:animate-out motion-safe:after:duration-4000 motion-safe:after:ease-in motion-safe:after:fade-out-0 motion-safe:after:fill-mode-forwards',
      )}
    >
      {quoted && <p className="line-clamp-2 border-l-2 pl-2 text-xs break-words">{quoted.summary}</p>}
      {message.media_state || isFile(message) ? (
        <>
          <WhatsappMedia userId={userId} message={message} />
          {message.body && <p className="break-words whitespace-pre-wrap">{message.body}</p>}
        </>
      ) : (
        <p className="break-words whitespace-pre-wrap">{message.summary}</p>
      )}
      {message.voice_s ? <WhatsappVoice userId={userId} message={message} /> : null}
      {reaction && <p aria-label={`Reazione: ${reaction}`}>{reaction}</p>}
      <p className="flex flex-wrap items-center justify-end gap-1 text-xs">
        {message.template && <span className="mr-auto">Modello</span>}
        {message.is_automatic && <span className="mr-auto">Risposta automatica</span>}
        {isOurs && message.source !== 'api' && <span className="mr-auto">Dal telefono</span>}
        <time dateTime={message.at} title={fullDate(message.at)}>
          {timeOfDay(message.at)}
        </time>
        {message.state && <Ticks state={message.state} />}
      </p>
      {isOurs && <Trouble userId={userId} message={message} />}
    </li>
  )
}

/** Whether a message of ours took a file along; those of the phone are not fetched. */
function isFile({ direction, source, kind }: WhatsappMessage): boolean {
  return direction === 'uscita' && source === 'api' && (kind === 'document' || kind === 'image')
}

const icons = {
  queued: ClockIcon,
  sending: ClockIcon,
  sent: CheckIcon,
  delivered: CheckCheckIcon,
  read: CheckCheckIcon,
  failed: TriangleAlertIcon,
  uncertain: TriangleAlertIcon,
  cancelled: TriangleAlertIcon,
} as const

function Ticks({ state }: { state: NonNullable<WhatsappMessage['state']> }) {
  const Icon = icons[state]
  return (
    <span className="inline-flex items-center gap-1">
      <Icon aria-hidden className={cn('size-3.5', state === 'read' && 'text-primary')} />
      {whatsappStates[state]}
    </span>
  )
}

async function run(change: Promise<unknown>) {
  try {
    await change
  } catch {
    toast.error('Non è più possibile: guarda come sta ora')
  }
}

function Trouble({ userId, message }: { userId: string; message: WhatsappMessage }) {
  const cancel = useCancelWhatsapp(userId)
  const decide = useDecideWhatsapp(userId)
  const { id, state, error, error_detail: detail, not_before: leavesAt } = message
  return (
    <>
      {error && state !== 'cancelled' && <p className="break-words">{detail ?? whatsappErrors[error]}</p>}
      {state === 'queued' && (
        <p className="flex flex-wrap items-center gap-2">
          {leavesAt && !isSoon(leavesAt) && `Parte ${fullDate(leavesAt)}`}
          <Button
            variant="outline"
            size="sm"
            disabled={cancel.isPending}
            onClick={() => void run(cancel.mutateAsync(id))}
          >
            Annulla l’invio
          </Button>
        </p>
      )}
      {state === 'uncertain' && (
        <p className="flex flex-wrap gap-2">
          {[true, false].map((hasArrived) => (
            <Button
              key={String(hasArrived)}
              variant="outline"
              size="sm"
              disabled={decide.isPending}
              onClick={() => void run(decide.mutateAsync({ id, hasArrived }))}
            >
              {hasArrived ? 'È arrivato' : 'Non è arrivato'}
            </Button>
          ))}
        </p>
      )}
    </>
  )
}
