/** One conversation: its title leads to it, the menu changes it. */
import { clsx } from 'clsx'
import { Link } from 'react-router'

import type { Conversation } from '@/data/conversations'
import { ConversationMenu } from '@/features/chat/conversations/conversation-menu'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'

/** Before the first answer gave it a title. */
export const UNTITLED = 'Nuova conversazione'

type Props = {
  userId: string
  conversation: Conversation
  isCurrent: boolean
  onChoose: (() => void) | undefined
  onRename: () => void
  onRemove: () => void
}

export function ConversationRow({ userId, conversation, isCurrent, onChoose, onRename, onRemove }: Props) {
  const { id, title, last_message_at: at } = conversation
  const name = title ?? UNTITLED
  return (
    <li className={clsx('flex items-center rounded-md', isCurrent ? 'bg-secondary' : 'hover:bg-muted')}>
      <Link
        to={paths.conversation(id)}
        data-conversation={id}
        aria-current={isCurrent ? 'page' : undefined}
        title={fullDate(at)}
        onClick={onChoose}
        className="grid min-h-11 min-w-0 flex-1 content-center rounded-md px-3 py-1.5 focus-visible:-outline-offset-2"
      >
        <span
          className={clsx('truncate text-sm', isCurrent ? 'font-semibold text-secondary-foreground' : 'font-medium')}
        >
          {name}
        </span>
        <span className={clsx('text-xs tabular', isCurrent ? 'text-secondary-foreground' : 'text-muted-foreground')}>
          {relativeTime(at)}
        </span>
      </Link>
      <ConversationMenu
        userId={userId}
        conversation={conversation}
        name={name}
        onRename={onRename}
        onRemove={onRemove}
      />
    </li>
  )
}
