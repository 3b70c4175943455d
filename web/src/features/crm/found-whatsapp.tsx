/** What a search in WhatsApp found: each message with its words marked; it opens in its conversation. */
import { useQuery } from '@tanstack/react-query'
import { SearchXIcon } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { MarkedText } from '@/components/marked-text'
import { Skeleton } from '@/components/ui/skeleton'
import { type FoundWhatsapp, whatsappSearchQuery } from '@/data/whatsapp-search'
import { ConversationPanes } from '@/features/crm/conversation-panes'
import { useOpenChat } from '@/features/crm/use-open-chat'
import { WhatsappChatView } from '@/features/crm/whatsapp-chat'
import { cn } from '@/lib/cn'
import { fullDate } from '@/strings/dates'
import { countText } from '@/strings/home'

const MOST = 50

export function FoundWhatsappMessages({ userId, text }: { userId: string; text: string }) {
  const { targetId, chat, show } = useOpenChat(userId)
  const { data, isPending, refetch } = useQuery({
    ...whatsappSearchQuery(userId, text, MOST),
    // The last answer stays until the next one is there: a search does not flicker.
    placeholderData: (previous) => previous,
  })
  if (isPending) return <Skeleton aria-busy className="h-72" />
  if (!data) return <LoadError text="La ricerca non è riuscita: riprova." onRetry={() => void refetch()} />
  if (data.length === 0)
    return (
      <EmptyState
        icon={SearchXIcon}
        title={`Nessun messaggio dice «${text}»`}
        text="Prova con una parola sola, o meno precisa."
        isAnswer
      />
    )
  return (
    <ConversationPanes
      closing="Tutti i risultati"
      onClose={() => show(undefined)}
      list={
        <>
          <p role="status" className="text-sm text-muted-foreground tabular">
            {data.length === MOST
              ? `Gli ultimi ${MOST} messaggi: aggiungi una parola per trovarne altri`
              : countText(data.length, 'messaggio trovato', 'messaggi trovati')}
          </p>
          <ul aria-label="Messaggi trovati" className="-m-1 grid gap-2 p-1 lg:max-h-[40rem] lg:overflow-y-auto">
            {data.map((message) => (
              <li key={message.message_id}>
                <Found message={message} isOpen={message.message_id === targetId} />
              </li>
            ))}
          </ul>
        </>
      }
      open={
        chat && (
          <WhatsappChatView
            key={chat.id}
            userId={userId}
            chat={chat}
            hasContactLink
            targetId={targetId}
            onLatest={() => show(chat.id)}
          />
        )
      }
    />
  )
}

function Found({ message, isOpen }: { message: FoundWhatsapp; isOpen: boolean }) {
  const [params] = useSearchParams()
  const search = new URLSearchParams(params)
  search.set('conversazione', message.channel_id)
  return (
    <Link
      to={{ search: search.toString(), hash: `#m-${message.message_id}` }}
      replace
      aria-current={isOpen || undefined}
      className={cn('grid gap-0.5 rounded-lg border p-3 text-sm hover:bg-muted', isOpen && 'bg-muted')}
    >
      <span className="font-medium break-words">{message.is_sent ? `Tu a ${message.party}` : message.party}</span>
      <span className="break-words text-muted-foreground">
        <MarkedText text={message.snippet} marks={message.marks} />
      </span>
      <span className="text-muted-foreground">{fullDate(message.at)}</span>
    </Link>
  )
}
