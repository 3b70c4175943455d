import { Skeleton } from '@/components/ui/skeleton'
import { ConversationsSheet } from '@/features/chat/conversations/conversations-sheet'

type Props = {
  userId: string
  conversationId: string | null
  isTemporary: boolean
  onTemporary: (isTemporary: boolean) => void
}

/** Above a conversation that has no row: one that begins, or one that is being read. */
export function NewHeader({ userId, conversationId, isTemporary, onTemporary }: Props) {
  return (
    <header className="flex items-center gap-2 border-b px-2 py-1.5 sm:px-4">
      <ConversationsSheet userId={userId} currentId={conversationId} />
      <div className="flex min-h-11 items-center px-2">
        {conversationId === null ? (
          <h1 className="font-semibold whitespace-nowrap max-sm:text-sm">Nuova conversazione</h1>
        ) : (
          <Skeleton aria-busy className="h-5 w-48" />
        )}
      </div>
      {conversationId === null && (
        <label className="ml-auto flex min-h-11 cursor-pointer items-center gap-2 rounded-md px-2 text-sm font-medium hover:bg-muted">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-primary"
            checked={isTemporary}
            onChange={({ target }) => onTemporary(target.checked)}
          />
          Temporanea
        </label>
      )}
    </header>
  )
}
