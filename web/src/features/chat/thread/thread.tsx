/** The messages of a conversation along one branch; the oldest of a long one are drawn when one scrolls to them. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowDownIcon } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import {
  attachmentsQuery,
  isUnderWay,
  type Message,
  type Opinion,
  scoresQuery,
  type Suggestion,
  useScore,
} from '@/data/chat'
import { Answer } from '@/features/chat/thread/answer'
import type { Step } from '@/features/chat/thread/branches'
import { LiveAnswer } from '@/features/chat/thread/live-answer'
import { Question } from '@/features/chat/thread/question'
import { useLatest } from '@/features/chat/thread/use-latest'
import { useScrollEnd } from '@/features/chat/thread/use-scroll-end'

type Props = {
  userId: string
  conversationId: string
  path: readonly Step[]
  /** A question on its way, which has no row yet. */
  pending: ReactNode
  isBusy: boolean
  editedId: string | null
  /** The message that an address points at. */
  targetId: string | null
  onEdit: (id: string | null) => void
  onAsk: (message: Message, text: string) => Promise<void>
  onRegenerate: (message: Message, mode?: 'locale') => void
  onSuggestion: (suggestion: Suggestion) => void
  onChoose: (id: string) => void
}

/** So many messages are drawn at first, and more each time the upper end comes near. */
const AT_ONCE = 40
const NEAR_START_PX = 1_500
const NO_NAMES = {}

export function Thread(props: Props) {
  const { userId, conversationId, path, pending, isBusy, editedId, targetId } = props
  const { frame, content, isAtEnd, onScroll, toEnd, stay } = useScrollEnd()
  const [count, setCount] = useState(AT_ONCE)
  const ids = [...new Set(path.flatMap(({ message }) => message.attachments))]
  const { data: names = NO_NAMES } = useQuery(attachmentsQuery(userId, ids))
  const { data: scores = {} } = useQuery(scoresQuery(userId, conversationId))
  const score = useScore(userId, conversationId, () => toast.error('Non siamo riusciti a salvare: riprova'))
  const targetAt = path.findIndex(({ message }) => message.id === targetId)
  const first = Math.max(0, Math.min(path.length - count, targetAt === -1 ? path.length : targetAt))
  const handlers = {
    onEdit: useLatest(props.onEdit),
    onAsk: useLatest(async (message: Message, text: string) => {
      await props.onAsk(message, text)
      toEnd()
    }),
    onRegenerate: useLatest((message: Message, mode?: 'locale') => {
      toEnd()
      props.onRegenerate(message, mode)
    }),
    onSuggestion: useLatest(props.onSuggestion),
    onChoose: useLatest((id: string) => {
      stay()
      props.onChoose(id)
    }),
    onScore: useLatest((opinion: Opinion) => score.mutate(opinion)),
  }

  // The browser keeps in sight what one reads when something comes before it, except at the very beginning.
  const drawn = useRef({ first, height: 0 })
  useLayoutEffect(() => {
    const box = frame.current
    if (!box) return
    if (first < drawn.current.first && box.scrollTop === 0)
      box.scrollTo({ top: box.scrollHeight - drawn.current.height })
    drawn.current = { first, height: box.scrollHeight }
  })
  useEffect(() => {
    if (targetAt === -1) return
    stay()
    document.querySelector(`#m-${targetId}`)?.scrollIntoView({ block: 'center' })
  }, [targetAt, targetId, stay])
  useEffect(() => {
    if (editedId === null) return
    stay()
    document.querySelector(`#m-${editedId}`)?.scrollIntoView({ block: 'nearest' })
  }, [editedId, stay])
  const isPending = pending !== null
  useEffect(() => {
    if (isPending) toEnd()
  }, [isPending, toEnd])

  return (
    <div className="relative min-h-0 flex-1">
      {/* With the keyboard, too, one reads what lies above. */}
      <div
        ref={frame}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="log"
        aria-label="Conversazione"
        aria-busy={isBusy}
        aria-live="off"
        onScroll={() => {
          onScroll()
          if (first > 0 && frame.current && frame.current.scrollTop < NEAR_START_PX)
            setCount(path.length - first + AT_ONCE)
        }}
        className="h-full overflow-y-auto overscroll-contain px-4 focus-visible:-outline-offset-2 sm:px-6"
      >
        <div ref={content} className="mx-auto grid max-w-3xl grid-cols-1 gap-6 py-6">
          {path.slice(first).map(({ message, versions }, index) => (
            <div
              key={message.id}
              id={`m-${message.id}`}
              className={clsx(
                'min-w-0',
                // What is out of sight is not laid out, except near the end, where one reads.
                index < path.length - first - 6 && '[contain-intrinsic-size:auto_10rem] [content-visibility:auto]',
                message.id === targetId && 'rounded-md outline-2 outline-offset-8 outline-primary/40',
              )}
            >
              {message.role === 'user' ? (
                <Question
                  message={message}
                  versions={versions}
                  names={names}
                  isEdited={message.id === editedId}
                  isBusy={isBusy}
                  onEdit={handlers.onEdit}
                  onAsk={handlers.onAsk}
                  onChoose={handlers.onChoose}
                />
              ) : isUnderWay(message) ? (
                <LiveAnswer userId={userId} message={message} />
              ) : (
                <Answer
                  userId={userId}
                  message={message}
                  versions={versions}
                  score={scores[message.id]}
                  isBusy={isBusy}
                  isLast={first + index === path.length - 1}
                  onRegenerate={handlers.onRegenerate}
                  onScore={handlers.onScore}
                  onSuggestion={handlers.onSuggestion}
                  onChoose={handlers.onChoose}
                />
              )}
            </div>
          ))}
          {pending}
        </div>
      </div>
      {!isAtEnd && (
        <Button
          variant="outline"
          size="sm"
          className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-float"
          onClick={toEnd}
        >
          <ArrowDownIcon aria-hidden /> Vai in fondo
        </Button>
      )}
    </div>
  )
}
