import { MessageCircleIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { ConversationsSheet } from '@/features/chat/conversations/conversations-sheet'
import { paths } from '@/paths'

/** An address without a conversation: deleted, temporary, or of somebody else. */
export function Unknown({ userId }: { userId: string }) {
  return (
    <section className="flex min-w-0 flex-1 flex-col gap-4 p-4">
      <PageTitle>Conversazione non trovata</PageTitle>
      <header className="flex items-center gap-2">
        <ConversationsSheet userId={userId} currentId={null} />
        <h1 className="font-semibold">Conversazione non trovata</h1>
      </header>
      <EmptyState
        icon={MessageCircleIcon}
        title="Qui non c’è più niente"
        text="Forse è stata eliminata, o era temporanea. Le altre sono nell’elenco."
      >
        <Button asChild>
          <Link to={paths.chat}>Nuova conversazione</Link>
        </Button>
      </EmptyState>
    </section>
  )
}
