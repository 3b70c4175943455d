/** /crm?vista=whatsapp: the conversations by WhatsApp that wait for an answer, those that are done, and their messages by words. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { SearchBox } from '@/components/search-box'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { whatsappAccountQuery, type WhatsappChat, whatsappChatsQuery } from '@/data/whatsapp'
import { ConversationPanes } from '@/features/crm/conversation-panes'
import { FoundWhatsappMessages } from '@/features/crm/found-whatsapp'
import { useOpenChat } from '@/features/crm/use-open-chat'
import { WhatsappCampaignButton } from '@/features/crm/whatsapp-campaign-button'
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
  const [params, setParams] = useSearchParams()
  const isDone = params.get('stato') === 'fatti'
  const text = params.get('cerca') ?? ''
  const { data: account } = useQuery(whatsappAccountQuery(userId))

  function onSearch(typed: string) {
    setParams(
      (former) => {
        if (typed) former.set('cerca', typed)
        else former.delete('cerca')
        // Another search has other results.
        former.delete('conversazione')
        return former
      },
      { replace: true },
    )
  }

  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-4 py-6">
      <PageTitle>WhatsApp</PageTitle>
      <CrmHeader current="whatsapp" title="WhatsApp">
        {account && <WhatsappCampaignButton userId={userId} label="Invia a più persone" />}
        {account && (
          <Button variant="ghost" asChild>
            <Link to={paths.crmCampaigns}>Invii</Link>
          </Button>
        )}
      </CrmHeader>
      {account === null && (
        <p className="text-sm text-muted-foreground">
          Il tuo numero non è ancora collegato:{' '}
          <Link className="underline" to={paths.settingsChannels}>
            collegalo nei canali
          </Link>
          .
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <LinkTabs label="WhatsApp" tabs={views} current={isDone ? 'fatti' : 'da_gestire'} />
        <SearchBox label="Cerca nei messaggi" placeholder="Cerca nei messaggi" text={text} onSearch={onSearch} />
      </div>
      {text ? (
        <FoundWhatsappMessages userId={userId} text={text} />
      ) : (
        <Chats key={String(isDone)} userId={userId} isDone={isDone} />
      )}
    </div>
  )
}

function Chats({ userId, isDone }: { userId: string; isDone: boolean }) {
  const query = useInfiniteQuery(whatsappChatsQuery(userId, isDone))
  const { data, isError, refetch } = query
  const { openId, targetId, chat, show } = useOpenChat(userId)
  const place = data?.findIndex(({ id }) => id === openId) ?? -1
  const open = data?.[place] ?? chat
  useShortcut('j', () => data && show(data[Math.min(place + 1, data.length - 1)]?.id))
  useShortcut('k', () => data && show(data[Math.max(place - 1, 0)]?.id))

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
            {data.map((each) => (
              <li key={each.id}>
                <ChatRow chat={each} isOpen={each.id === open?.id} onOpen={() => show(each.id)} />
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
            targetId={targetId}
            onLatest={() => show(open.id)}
            onDone={() => show(data[place + 1]?.id)}
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
