/** The conversations beside the thread: a new one, the search over all that was said, the filters, the list by day. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { PlusIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { Choice } from '@/components/choice'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { NameDialog } from '@/components/name-dialog'
import { SearchBox } from '@/components/search-box'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import {
  type Conversation,
  type ConversationFilter,
  conversationsQuery,
  pinnedQuery,
  useChangeConversation,
} from '@/data/conversations'
import { ConversationRow } from '@/features/chat/conversations/conversation-row'
import { grouped, untilTomorrow } from '@/features/chat/conversations/days'
import { FoundConversations } from '@/features/chat/conversations/found-conversations'
import { useLeftovers, useRemoval, useRemoved } from '@/features/chat/conversations/removals'
import { useShortcut } from '@/lib/shortcut'
import { useNow } from '@/lib/use-now'
import { paths } from '@/paths'

const LONGEST_TITLE = 120

const filters = [
  ['tutte', 'Tutte'],
  ['con_azioni', 'Con azioni'],
  ['archiviate', 'Archiviate'],
] as const

const nothing: Record<ConversationFilter, string> = {
  tutte: 'Qui restano le tue conversazioni. Scrivi la prima domanda: la ritrovi sempre.',
  con_azioni: 'Nessuna conversazione con azioni proposte. Prova «domani alle 15 chiama…».',
  archiviate: 'Nessuna conversazione archiviata.',
}

type Props = {
  userId: string
  /** The one that is open. */
  currentId: string | null
  /** Called when one was chosen, as a sheet on a phone closes then. */
  onChoose?: () => void
}

export function ConversationList({ userId, currentId, onChoose }: Props) {
  const [text, setText] = useState('')
  const [filter, setFilter] = useState<ConversationFilter>('tutte')
  const list = useRef<HTMLElement>(null)
  useLeftovers(userId)
  useShortcut('j', () => moveFocus(list.current, 1))
  useShortcut('k', () => moveFocus(list.current, -1))

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <Button asChild variant="outline" className="justify-start">
        <Link to={paths.chat} onClick={onChoose}>
          <PlusIcon aria-hidden /> Nuova conversazione
        </Link>
      </Button>
      <div className="flex">
        <SearchBox text={text} label="Cerca nelle conversazioni" placeholder="Cerca" onSearch={setText} />
      </div>
      {!text && <Choice label="Quali conversazioni" value={filter} options={filters} onChange={setFilter} isSmall />}
      <nav
        ref={list}
        aria-label="Conversazioni"
        className="-mx-1 grid min-h-0 grid-cols-1 content-start gap-4 overflow-y-auto px-1 pb-2"
      >
        {text ? (
          <FoundConversations userId={userId} text={text} onChoose={onChoose} />
        ) : (
          <List userId={userId} filter={filter} currentId={currentId} onChoose={onChoose} />
        )}
      </nav>
    </div>
  )
}

/** From one conversation to the next; from outside of the list to its first. */
function moveFocus(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-conversation]') ?? [])]
  const at = links.findIndex((link) => link === document.activeElement)
  links[at === -1 ? 0 : at + step]?.focus()
}

type ListProps = {
  userId: string
  filter: ConversationFilter
  currentId: string | null
  onChoose: (() => void) | undefined
}

function List({ userId, filter, currentId, onChoose }: ListProps) {
  const query = useInfiniteQuery(conversationsQuery(userId, filter))
  const { data: pinned = [] } = useQuery(pinnedQuery(userId, filter))
  const [renamed, setRenamed] = useState<Conversation | null>(null)
  const change = useChangeConversation(userId)
  const removed = useRemoved(userId)
  const remove = useRemoval(userId)
  const navigate = useNavigate()
  const now = useNow(untilTomorrow)

  if (query.isPending) return <Loading />
  if (!query.data)
    return <LoadError text="Non riusciamo a leggere le conversazioni." onRetry={() => void query.refetch()} />

  const isShown = (row: Conversation) => !removed.has(row.id)
  const above = filter === 'archiviate' ? [] : pinned.filter(isShown)
  const groups = grouped(above, query.data.filter(isShown), new Date(now))

  function onRemove({ id, title }: Conversation) {
    remove([id], title)
    if (id === currentId) void navigate(paths.chat)
  }

  return (
    <>
      {groups.length === 0 && <p className="px-3 py-4 text-sm text-muted-foreground">{nothing[filter]}</p>}
      {groups.map(({ title, rows }) => (
        <section key={title} aria-label={title}>
          <h2 className="px-3 pb-1 text-xs font-medium text-muted-foreground">{title}</h2>
          <ul className="grid grid-cols-1 gap-0.5">
            {rows.map((row) => (
              <ConversationRow
                key={row.id}
                userId={userId}
                conversation={row}
                isCurrent={row.id === currentId}
                onChoose={onChoose}
                onRename={() => setRenamed(row)}
                onRemove={() => onRemove(row)}
              />
            ))}
          </ul>
        </section>
      ))}
      <MoreButton query={query}>Mostra le precedenti</MoreButton>
      {renamed && (
        <NameDialog
          title="Rinomina la conversazione"
          text="Il titolo serve solo a te, per ritrovarla."
          label="Titolo"
          submit="Salva"
          initial={renamed.title ?? ''}
          longest={LONGEST_TITLE}
          onSubmit={async (title) => void (await change.mutateAsync({ id: renamed.id, title }))}
          onClose={() => setRenamed(null)}
        />
      )}
    </>
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-1">
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} className="h-12" />
      ))}
    </div>
  )
}
