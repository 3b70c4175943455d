/** What a search in WhatsApp found: each message with its words marked; it opens in its conversation. */
import { Link, useSearchParams } from 'react-router'

import { MarkedText } from '@/components/marked-text'
import { type FoundWhatsapp, whatsappSearchQuery } from '@/data/whatsapp-search'
import { ConversationPanes } from '@/features/crm/conversation-panes'
import { SearchAnswer } from '@/features/crm/search-answer'
import { useOpenChat } from '@/features/crm/use-open-chat'
import { WhatsappChatView } from '@/features/crm/whatsapp-chat'
import { cn } from '@/lib/cn'
import { fullDate } from '@/strings/dates'
import { countText } from '@/strings/home'

const MOST = 50

export function FoundWhatsappMessages({ userId, text }: { userId: string; text: string }) {
  const { targetId, chat, show } = useOpenChat(userId)
  return (
    <SearchAnswer query={whatsappSearchQuery(userId, text, MOST)} none={`Nessun messaggio dice «${text}»`}>
      {(found) => (
        <ConversationPanes
          closing="Tutti i risultati"
          onClose={() => show(undefined)}
          list={
            <>
              <p role="status" className="text-sm text-muted-foreground tabular">
                {found.length === MOST
                  ? `Gli ultimi ${MOST} messaggi: aggiungi una parola per trovarne altri`
                  : countText(found.length, 'messaggio trovato', 'messaggi trovati')}
              </p>
              <ul aria-label="Messaggi trovati" className="-m-1 grid gap-2 p-1 lg:max-h-[40rem] lg:overflow-y-auto">
                {found.map((message) => (
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
      )}
    </SearchAnswer>
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
