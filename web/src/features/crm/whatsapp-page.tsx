/** /crm?vista=whatsapp: the conversations by WhatsApp that wait for an answer, and those that are done. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { whatsappAccountQuery, type WhatsappChat, whatsappChatQuery, whatsappChatsQuery } from '@/data/whatsapp'
import { ConversationPanes } from '@/features/crm/conversation-panes'
import { WhatsappChatView } from '@/features/crm/whatsapp-chat'
import { cn } from '@/lib/cn'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'

const views = [
  { key: 'da_gestire', label: 'Da gestire', to: paths.crmWhatsapp },
  { key: 'fatti', label: 'Fatti', to: paths.crmWhatsappDone },
] as const

export default function WhatsappPage() {
  const { id: userId } = useUser()
  const [params] = useSearchParams()
  const isDone = params.get('stato') === 'fatti'
  const { data: account } = useQuery(whatsappAccountQuery(userId))
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-4 py-6">
      <PageTitle>WhatsApp</PageTitle>
      <CrmHeader current="whatsapp" title="WhatsApp" />
      {account === null && (
        <p className="text-sm text-muted-foreground">
          Il tuo numero non è ancora collegato:{' '}
          <Link className="underline" to={paths.settingsChannels}>
            collegalo nei canali
          </Link>
          .
        </p>
      )}
      <LinkTabs label="WhatsApp" tabs={views} current={isDone ? 'fatti' : 'da_gestire'} />
      <Chats key={String(isDone)} userId={userId} isDone={isDone} />
    </div>
  )
}

function Chats({ userId, isDone }: { userId: string; isDone: boolean }) {
  const [params, setParams] = useSearchParams()
  const query = useInfiniteQuery(whatsappChatsQuery(userId, isDone))
  const { data, isError, refetch } = query
  const wanted = params.get('conversazione')
  const place = data?.findIndex(({ id }) => id === wanted) ?? -1
  // A link may lead to one that is in the other list, and an answer moves the open one there.
  const other = useQuery({ ...whatsappChatQuery(userId, wanted ?? ''), enabled: wanted !== null })
  const open = wanted === null ? undefined : (data?.[place] ?? other.data ?? undefined)

  function show(chat: WhatsappChat | undefined) {
    setParams(
      (former) => {
        if (chat) former.set('conversazione', chat.id)
        else former.delete('conversazione')
        return former
      },
      { replace: true },
    )
  }
  useShortcut('j', () => data && show(data[Math.min(place + 1, data.length - 1)]))
  useShortcut('k', () => data && show(data[Math.max(place - 1, 0)]))

  if (isError && !data) return <LoadError text="Non riusciamo a leggere i messaggi." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  const nothing = (
    <p className="py-8 text-center text-muted-foreground">
      {isDone ? 'Nessuna conversazione gestita' : 'Nessun messaggio aspetta una risposta'}
    </p>
  )
  if (data.length === 0 && !open) return nothing
  return (
    <ConversationPanes
      onClose={() => show(undefined)}
      list={
        <>
          {data.length === 0 && nothing}
          <ul aria-label="Conversazioni" className="grid gap-2">
            {data.map((chat) => (
              <li key={chat.id}>
                <ChatRow chat={chat} isOpen={chat.id === open?.id} onOpen={() => show(chat)} />
              </li>
            ))}
          </ul>
          <MoreButton query={query}>Mostra altre</MoreButton>
        </>
      }
      open={
        open && (
          <WhatsappChatView
            key={open.id}
            userId={userId}
            chat={open}
            hasContactLink
            onDone={() => show(data[place + 1])}
          />
        )
      }
    />
  )
}

function ChatRow({ chat, isOpen, onOpen }: { chat: WhatsappChat; isOpen: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-current={isOpen || undefined}
      className={cn('grid w-full gap-0.5 rounded-lg border p-3 text-left text-sm hover:bg-muted', isOpen && 'bg-muted')}
      onClick={onOpen}
    >
      <span className="font-medium break-words">{chat.contacts?.name ?? 'Contatto'}</span>
      <span className="line-clamp-2 break-words text-muted-foreground">{chat.snippet}</span>
      <span className="text-muted-foreground">{fullDate(chat.last_at)}</span>
    </button>
  )
}
