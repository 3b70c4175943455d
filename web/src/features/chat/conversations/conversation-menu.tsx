/** What can be done with one conversation of the list. */
import {
  ArchiveIcon,
  ArchiveRestoreIcon,
  EllipsisIcon,
  PencilIcon,
  PinIcon,
  PinOffIcon,
  Trash2Icon,
} from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { type Conversation, useChangeConversation } from '@/data/conversations'

type Props = {
  userId: string
  conversation: Conversation
  name: string
  onRename: () => void
  onRemove: () => void
}

export function ConversationMenu({ userId, conversation, name, onRename, onRemove }: Props) {
  const { id, pinned_at: pinnedAt, archived_at: archivedAt } = conversation
  const change = useChangeConversation(userId)

  function save(values: { pinned_at?: string | null; archived_at?: string | null }) {
    change.mutate({ id, ...values }, { onError: () => toast.error('Non siamo riusciti a salvare: riprova') })
  }

  function archive() {
    save({ archived_at: new Date().toISOString() })
    toast('Conversazione archiviata', {
      description: name,
      action: { label: 'Annulla', onClick: () => save({ archived_at: null }) },
    })
  }

  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button
          variant="ghost"
          size="icon"
          className="shrink-0 text-muted-foreground focus-visible:-outline-offset-2"
          aria-label={`Azioni per ${name}`}
        >
          <EllipsisIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={onRename}>
          <PencilIcon /> Rinomina
        </DropdownMenuItem>
        {!archivedAt && (
          <DropdownMenuItem onSelect={() => save({ pinned_at: pinnedAt ? null : new Date().toISOString() })}>
            {pinnedAt ? <PinOffIcon /> : <PinIcon />} {pinnedAt ? 'Non fissare più' : 'Fissa in alto'}
          </DropdownMenuItem>
        )}
        <DropdownMenuItem onSelect={archivedAt ? () => save({ archived_at: null }) : archive}>
          {archivedAt ? <ArchiveRestoreIcon /> : <ArchiveIcon />} {archivedAt ? 'Togli dall’archivio' : 'Archivia'}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={onRemove}>
          <Trash2Icon /> Elimina
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
