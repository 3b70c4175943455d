/** /chat and /chat/:conversationId: the conversations, the one that is open, and what its answers stand on. */
import { useState } from 'react'
import { useLocation, useParams } from 'react-router'

import { PageTitle } from '@/components/page-title'
import { useUser } from '@/data/auth-context'
import { Chat } from '@/features/chat/chat'
import { Sources, SourcesProvider } from '@/features/chat/citations/sources'
import { ConversationList } from '@/features/chat/conversations/conversation-list'

export default function ChatPage() {
  const { id: userId } = useUser()
  const { conversationId = null } = useParams()
  const { hash } = useLocation()
  const key = useScreenKey(conversationId)

  return (
    <SourcesProvider userId={userId}>
      <PageTitle>Chat</PageTitle>
      {/* As high as the window between the top bar and the navigation: only the messages scroll. */}
      <div className="mx-auto -mb-7 flex h-[calc(100dvh-3.5rem-3.75rem-env(safe-area-inset-bottom))] w-full max-w-[1600px] lg:-mb-5 lg:h-[calc(100dvh-3.5rem-5.75rem)]">
        <aside
          aria-label="Elenco delle conversazioni"
          className="flex w-72 shrink-0 flex-col border-r p-3 max-lg:hidden"
        >
          <ConversationList userId={userId} currentId={conversationId} />
        </aside>
        <Chat
          key={key}
          userId={userId}
          conversationId={conversationId}
          targetId={hash.startsWith('#m-') ? hash.slice(3) : null}
        />
        <Sources />
      </div>
    </SourcesProvider>
  )
}

/** Another conversation is another screen; the one that has just begun on this screen is not. */
function useScreenKey(conversationId: string | null): number {
  const state = useLocation().state as { isSame?: boolean } | null
  const [screen, setScreen] = useState({ conversationId, key: 0 })
  if (screen.conversationId === conversationId) return screen.key
  const isSame = screen.conversationId === null && state?.isSame === true
  const next = { conversationId, key: isSame ? screen.key : screen.key + 1 }
  setScreen(next)
  return next.key
}
