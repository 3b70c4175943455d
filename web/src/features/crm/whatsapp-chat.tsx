/** A conversation by WhatsApp: what was written by both, by day, and the field to answer in. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useFinishChat, type WhatsappChat, type WhatsappMessage, whatsappMessagesQuery } from '@/data/whatsapp'
import { whatsappUntilQuery } from '@/data/whatsapp-search'
import { WhatsappBubble } from '@/features/crm/whatsapp-bubble'
import { WhatsappComposer } from '@/features/crm/whatsapp-composer'
import { paths } from '@/paths'
import { dayLabel } from '@/strings/dates'

type Props = {
  userId: string
  chat: WhatsappChat
  onDone?: () => void
  hasContactLink?: boolean
  /** The message to show; without one the conversation is open at its end. */
  targetId?: string | null
  /** Leaves that message for the end. */
  onLatest?: (() => void) | undefined
}

export function WhatsappChatView({ userId, chat, onDone, hasContactLink = false, targetId = null, onLatest }: Props) {
  const finish = useFinishChat(userId)
  const name = chat.contacts?.name ?? 'Contatto'

  async function onFinish() {
    try {
      await finish.mutateAsync({ id: chat.id, isDone: !chat.is_done })
      if (!chat.is_done) onDone?.()
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <section aria-label={`WhatsApp con ${name}`} className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto text-lg font-semibold break-words">{hasContactLink ? name : 'WhatsApp'}</h2>
        {hasContactLink && (
          <Button variant="ghost" size="sm" asChild>
            <Link to={paths.crmContact(chat.contact_id)}>Apri il contatto</Link>
          </Button>
        )}
        <Button variant="outline" size="sm" disabled={finish.isPending} onClick={() => void onFinish()}>
          {chat.is_done ? 'Da gestire' : 'Fatto'}
        </Button>
      </div>
      {chat.failures > 1 && (
        <p className="text-sm text-muted-foreground">
          Gli ultimi messaggi non sono stati consegnati: forse questa persona non usa più WhatsApp o ti ha bloccato.
        </p>
      )}
      <Messages userId={userId} chat={chat} targetId={targetId} onLatest={onLatest} />
      <WhatsappComposer userId={userId} chat={chat} onSent={targetId === null ? undefined : onLatest} />
    </section>
  )
}

function Messages({
  userId,
  chat,
  targetId,
  onLatest,
}: Pick<Props, 'userId' | 'chat' | 'onLatest'> & { targetId: string | null }) {
  const { data: until = null, isPending } = useQuery({
    ...whatsappUntilQuery(userId, chat.id, targetId ?? ''),
    enabled: targetId !== null,
    // The next message that is looked for may be on the same page.
    placeholderData: (previous) => previous,
  })
  const isReady = targetId === null || !isPending
  const query = useInfiniteQuery({
    ...whatsappMessagesQuery(userId, chat.id, targetId === null ? null : until),
    enabled: isReady,
  })
  const { data, isError, refetch } = query
  const list = useRef<HTMLDivElement>(null)
  const newest = data?.at(-1)?.id
  const holdsTarget = data?.some(({ id }) => id === targetId)
  useEffect(() => {
    if (newest && !holdsTarget && list.current) list.current.scrollTop = list.current.scrollHeight
  }, [newest, holdsTarget])
  if (isError && !data) return <LoadError text="Non riusciamo a leggere i messaggi." onRetry={() => void refetch()} />
  if (!data || !isReady) return <Skeleton aria-busy className="h-48" />
  if (data.length === 0)
    return <p className="py-4 text-sm text-muted-foreground">Nessun messaggio in questa conversazione</p>
  const byId = new Map(data.map((message) => [message.message_id, message]))
  const reactions = new Map(data.filter(isReaction).map((message) => [message.refers_to, message.body]))
  // An automatic answer that was not needed says nothing to anybody.
  const shown = data.filter(
    (message) =>
      (!isReaction(message) || !byId.has(message.refers_to)) &&
      !(message.answers_id !== null && message.state === 'cancelled'),
  )
  const days = Map.groupBy(shown, ({ at }) => dayLabel(at))
  return (
    <div
      ref={list}
      className="grid max-h-[28rem] grid-cols-[minmax(0,1fr)] gap-3 overflow-y-auto rounded-lg border p-3"
      // The arrow keys scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="group"
      aria-label="Messaggi"
    >
      <MoreButton query={query}>Messaggi precedenti</MoreButton>
      {[...days].map(([day, some]) => (
        <section key={day} aria-label={day} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <h3 className="text-center text-xs font-medium text-muted-foreground">{day}</h3>
          <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
            {some.map((message) => (
              <WhatsappBubble
                key={message.id}
                userId={userId}
                message={message}
                quoted={message.refers_to ? byId.get(message.refers_to) : undefined}
                reaction={reactions.get(message.message_id)}
                isTarget={message.id === targetId}
              />
            ))}
          </ol>
        </section>
      ))}
      {targetId !== null && until && (
        <Button variant="outline" className="justify-self-center" onClick={onLatest}>
          Vai agli ultimi messaggi
        </Button>
      )}
    </div>
  )
}

function isReaction({ kind }: WhatsappMessage): boolean {
  return kind === 'reaction'
}
