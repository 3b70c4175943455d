/** What a search found: each conversation with the sentence that holds the words. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { MarkedText } from '@/components/marked-text'
import { Skeleton } from '@/components/ui/skeleton'
import { conversationSearchQuery } from '@/data/conversations'
import { UNTITLED } from '@/features/chat/conversations/conversation-row'
import { useRemoved } from '@/features/chat/conversations/removals'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'

type Props = { userId: string; text: string; onChoose: (() => void) | undefined }

export function FoundConversations({ userId, text, onChoose }: Props) {
  const { data, isPending, refetch } = useQuery({
    ...conversationSearchQuery(userId, text),
    // The last answer stays until the next one is there: a search does not flicker.
    placeholderData: (previous) => previous,
  })
  const removed = useRemoved(userId)
  if (isPending) return <Skeleton aria-busy className="h-32" />
  if (!data) return <LoadError text="La ricerca non è riuscita: riprova." onRetry={() => void refetch()} />
  const found = data.filter(({ id }) => !removed.has(id))
  if (found.length === 0)
    return (
      <p role="status" className="px-3 py-4 text-sm text-muted-foreground">
        In nessuna conversazione si parla di «{text}».
      </p>
    )
  return (
    <ul aria-label="Conversazioni trovate" className="grid grid-cols-1 gap-0.5">
      {found.map(({ id, title, messageId, snippet, marks, at }) => (
        <li key={`${id}-${messageId ?? ''}`}>
          <Link
            to={paths.conversation(id, messageId ?? undefined)}
            data-conversation={id}
            onClick={onChoose}
            className="grid min-h-11 gap-0.5 rounded-md px-3 py-2 text-sm hover:bg-muted focus-visible:-outline-offset-2"
          >
            <span className="flex items-baseline justify-between gap-2">
              <span className="truncate font-medium">{title ?? UNTITLED}</span>
              <time dateTime={at} className="shrink-0 text-xs text-muted-foreground tabular">
                {shortDate(at)}
              </time>
            </span>
            <span className="line-clamp-2 break-words text-muted-foreground">
              <MarkedText text={snippet} marks={marks} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
