import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { type Conversation, useChangeConversation } from '@/data/conversations'

const deeds: Record<string, string> = {
  create_task: 'aggiungere attività',
  complete_task: 'completare attività',
  move_task: 'spostare attività',
  add_note: 'aggiungere note',
}

type Props = { userId: string; conversation: Conversation }

/** What is done without asking in this conversation, and the way back to being asked; nothing while all is asked. */
export function UnaskedNotice({ userId, conversation: { id, auto_approve: unasked } }: Props) {
  const change = useChangeConversation(userId)
  const known = unasked.flatMap((tool) => deeds[tool] ?? [])
  if (known.length === 0) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 border-b bg-muted px-4 py-1 text-sm">
      <p className="min-w-0 flex-1 basis-52 py-1">Qui non ti chiedo conferma per {known.join(', ')}.</p>
      <Button
        variant="ghost"
        size="sm"
        disabled={change.isPending}
        onClick={() =>
          change.mutate(
            { id, auto_approve: [] },
            { onError: () => toast.error('Non siamo riusciti a salvare: riprova') },
          )
        }
      >
        Chiedi sempre
      </Button>
    </div>
  )
}
