/** Above the thread: its title, what it has cost, and what can be done with it. */
import { DownloadIcon, EllipsisIcon, PencilIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { NameDialog } from '@/components/name-dialog'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import type { Message } from '@/data/chat'
import { type Conversation, useChangeConversation } from '@/data/conversations'
import { UnaskedNotice } from '@/features/chat/cards/unasked-notice'
import { ConversationsSheet } from '@/features/chat/conversations/conversations-sheet'
import { useRemoval } from '@/features/chat/conversations/removals'
import { fileNameOf, markdownOf } from '@/features/chat/thread/export'
import { saveFile } from '@/lib/save-file'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'

const LONGEST_TITLE = 120

type Props = {
  userId: string
  conversation: Conversation
  /** All of them, and those of the branch that is shown. */
  messages: readonly Message[]
  shown: readonly Message[]
}

export function ConversationHeader({ userId, conversation, messages, shown }: Props) {
  const { id, title: named, is_temporary: isTemporary } = conversation
  const title = named ?? 'Nuova conversazione'
  const cost = messages.reduce((sum, message) => sum + (message.cost ?? 0), 0)
  const spent = `${credits(cost)} ${cost === 1 ? 'speso' : 'spesi'}`
  const [isRenaming, setRenaming] = useState(false)
  const change = useChangeConversation(userId)
  const remove = useRemoval(userId)
  const navigate = useNavigate()

  function onRemove() {
    // A temporary one goes when it is left.
    if (!isTemporary) remove([id], named)
    void navigate(paths.chat)
  }

  return (
    <>
      <header className="flex items-center gap-2 border-b px-2 py-1.5 sm:px-4">
        <ConversationsSheet userId={userId} currentId={id} />
        <button
          type="button"
          title="Rinomina"
          className="group flex min-h-11 min-w-0 items-center gap-2 rounded-md px-2 text-left hover:bg-muted"
          onClick={() => setRenaming(true)}
        >
          <h1 className="truncate font-semibold">{title}</h1>
          <PencilIcon
            aria-hidden
            className="size-4 shrink-0 text-muted-foreground opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
          />
          <span className="sr-only">Rinomina</span>
        </button>
        {isTemporary && <Badge variant="outline">Temporanea</Badge>}
        <p className="ml-auto shrink-0 text-xs whitespace-nowrap text-muted-foreground tabular max-sm:hidden">
          {spent}
        </p>
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <Button variant="ghost" size="icon" aria-label="Azioni sulla conversazione" className="max-sm:ml-auto">
              <EllipsisIcon aria-hidden />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end">
            <DropdownMenuLabel className="sm:hidden">{spent}</DropdownMenuLabel>
            <DropdownMenuItem onSelect={() => setRenaming(true)}>
              <PencilIcon /> Rinomina
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => saveFile(fileNameOf(title), markdownOf(title, shown), 'text/markdown')}>
              <DownloadIcon /> Esporta in Markdown
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={onRemove}>
              <Trash2Icon /> Elimina
            </DropdownMenuItem>
          </DropdownMenuContent>
        </DropdownMenu>
        {isRenaming && (
          <NameDialog
            title="Rinomina la conversazione"
            text="Il titolo serve solo a te, per ritrovarla."
            label="Titolo"
            submit="Salva"
            initial={named ?? ''}
            longest={LONGEST_TITLE}
            onSubmit={async (name) => void (await change.mutateAsync({ id, title: name }))}
            onClose={() => setRenaming(false)}
          />
        )}
      </header>
      <UnaskedNotice userId={userId} conversation={conversation} />
    </>
  )
}
