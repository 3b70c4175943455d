/** One conversation, or the next one: its messages, and where one writes. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import type { AgentChoice, Message, Suggestion } from '@/data/chat'
import { stopTurn } from '@/data/chat-stream'
import { conversationQuery, useChangeConversation } from '@/data/conversations'
import { Composer } from '@/features/chat/composer/composer'
import { ConsentDialog } from '@/features/chat/composer/consent-dialog'
import { useConsent } from '@/features/chat/composer/use-consent'
import { useWish } from '@/features/chat/composer/use-wish'
import { ConversationHeader } from '@/features/chat/conversation-header'
import { NewHeader } from '@/features/chat/new-header'
import { Start } from '@/features/chat/start/start'
import { Pending } from '@/features/chat/thread/pending'
import { Thread } from '@/features/chat/thread/thread'
import { ThreadSkeleton } from '@/features/chat/thread/thread-skeleton'
import { Unknown } from '@/features/chat/unknown'
import { useAsking } from '@/features/chat/use-asking'
import { useBroughtQuestion } from '@/features/chat/use-brought-question'
import { useChat } from '@/features/chat/use-chat'
import { useTemporary } from '@/features/chat/use-temporary'
import { draftKey } from '@/lib/chat-drafts'
import { useShortcut } from '@/lib/shortcut'
import { refusalText } from '@/strings/chat'

type Props = { userId: string; conversationId: string | null; targetId: string | null }

export function Chat({ userId, conversationId, targetId }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [isTemporary, setTemporary] = useState(false)
  const [editedId, setEditedId] = useState<string | null>(null)
  const conversation = useQuery({
    ...conversationQuery(userId, conversationId ?? ''),
    enabled: conversationId !== null,
  })
  const ways = useWish(userId, conversation.data?.agent ?? 'automatico')
  const consent = useConsent(userId, ways)
  const chat = useChat({ userId, conversationId, settledWish: consent.settled, isTemporary })
  const asking = useAsking(draftKey(userId, conversationId), chat.send)
  useBroughtQuestion({
    userId,
    isFree: async () => conversationId === null && (await ways.settled()).maxCredits === 0,
    send: asking.send,
  })
  const change = useChangeConversation(userId)
  const { query, messages, path, running } = chat
  const isBusy = running !== undefined || chat.isAsking
  useTemporary(userId, conversation.data?.is_temporary ? conversation.data.id : null)

  function stop() {
    if (running) stopTurn(running.id).catch(() => toast.error('Non siamo riusciti a fermarla: riprova'))
  }
  useShortcut('Escape', () => {
    // What floats closes first.
    if (!document.querySelector('[role=dialog], [role=menu]')) stop()
  })

  function onAgent(agent: AgentChoice) {
    ways.setAgent(agent)
    if (conversationId !== null) change.mutate({ id: conversationId, agent })
  }

  async function onRegenerate({ id, parent_id: parentId }: Message, mode?: 'locale') {
    await chat
      .send({ content: '', parentId, regenerate: id, ...(mode && { mode }) })
      .catch((error: unknown) => toast.error(refusalText(error)))
  }

  if (conversation.data === null) return <Unknown userId={userId} />
  // Its row may be here before its answer begins.
  const pending = asking.pending && !running && <Pending question={asking.pending} />
  return (
    <section aria-label="Conversazione" className="flex min-h-0 min-w-0 flex-1 flex-col">
      {conversation.data ? (
        <ConversationHeader
          userId={userId}
          conversation={conversation.data}
          messages={messages}
          shown={path.map(({ message }) => message)}
        />
      ) : (
        <NewHeader
          userId={userId}
          conversationId={conversationId}
          isTemporary={isTemporary}
          onTemporary={setTemporary}
        />
      )}
      {(conversation.data?.is_temporary ?? isTemporary) && (
        <p className="border-b bg-muted px-4 py-2 text-center text-sm">
          Conversazione temporanea: non resta nell’elenco, non tocca la memoria, si elimina quando esci.
        </p>
      )}
      {conversationId === null ? (
        pending ? (
          <div className="mx-auto w-full max-w-3xl min-h-0 flex-1 px-4 py-6 sm:px-6">{pending}</div>
        ) : (
          <Start
            userId={userId}
            agent={ways.wish.agent}
            onAgent={ways.setAgent}
            onQuestion={(text) => void asking.sendText(text, null)}
          />
        )
      ) : query.data ? (
        <Thread
          userId={userId}
          conversationId={conversationId}
          path={path}
          pending={pending || null}
          isBusy={isBusy}
          editedId={editedId}
          targetId={targetId}
          onEdit={setEditedId}
          onAsk={(message, content) =>
            chat.send({ content, parentId: message.parent_id, attachments: message.attachments })
          }
          onRegenerate={(message, mode) => void onRegenerate(message, mode)}
          onSuggestion={({ text, ref }: Suggestion) => void asking.sendText(text, ref)}
          onChoose={chat.choose}
        />
      ) : query.isError || conversation.isError ? (
        <div className="flex-1 p-4">
          <LoadError
            text="Non riusciamo a leggere questa conversazione."
            onRetry={() => void Promise.all([query.refetch(), conversation.refetch()])}
          />
        </div>
      ) : (
        <ThreadSkeleton />
      )}
      {/* What comes above the page, as the notice of being offline, never pushes it below the navigation. */}
      <div className="sticky bottom-[calc(3.75rem+env(safe-area-inset-bottom))] z-10 bg-background px-3 pt-1 pb-2 sm:px-6 lg:bottom-23">
        <p role="status" className="sr-only">
          {running ? 'Socio sta rispondendo' : ''}
        </p>
        <Composer
          userId={userId}
          conversationId={conversationId}
          field={field}
          ways={{ ...ways, setAgent: onAgent }}
          runningId={running?.id ?? null}
          isAsking={chat.isAsking}
          refusal={asking.refusal}
          onSend={(mode) => void asking.send(mode)}
          onStop={stop}
          onEditLast={() => {
            const last = path.findLast(({ message }) => message.role === 'user')
            if (last && !isBusy) setEditedId(last.message.id)
          }}
        />
      </div>
      {consent.asked && <ConsentDialog settings={consent.asked.settings} onAnswer={consent.asked.answer} />}
    </section>
  )
}
