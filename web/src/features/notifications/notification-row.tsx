/** One notification: a click opens what it is about; beside it, what can be done about it here. */
import { CheckIcon, Trash2Icon } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'

import { NotificationDot } from '@/components/notification-dot'
import { Button } from '@/components/ui/button'
import { type Notification, useMarkRead } from '@/data/notifications'
import { NotificationAction } from '@/features/notifications/notification-action'
import { safePath } from '@/lib/action-url'
import { cn } from '@/lib/cn'
import { fullDate, relativeTime } from '@/strings/dates'

type Props = {
  row: Notification
  isSelected: boolean
  onSelect: () => void
  onDelete: () => void
}

export function NotificationRow({ row, isSelected, onSelect, onDelete }: Props) {
  const navigate = useNavigate()
  const markRead = useMarkRead()

  function open() {
    if (!row.is_read) markRead.mutate([row.id])
    const target = safePath(row.action_url)
    if (target) void navigate(target)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Delete') onDelete()
    if (event.key === 'x') onSelect()
  }

  return (
    <li className={cn('flex items-start', (isSelected || !row.is_read) && 'bg-secondary/50')}>
      <label className="grid min-h-14 w-11 shrink-0 cursor-pointer place-items-center">
        <input
          type="checkbox"
          aria-label={`Seleziona: ${row.title}`}
          checked={isSelected}
          onChange={onSelect}
          className="size-4.5 accent-primary"
        />
      </label>
      <div className="min-w-0 flex-1">
        <button
          data-row
          onClick={open}
          onKeyDown={onKeyDown}
          className="flex w-full min-w-0 gap-3 py-4 pr-2 text-left transition-colors hover:bg-muted focus-visible:-outline-offset-2"
        >
          <NotificationDot type={row.type} className="mt-[7px]" />
          <span className="grid min-w-0 gap-1">
            <span className={cn('break-words', !row.is_read && 'font-semibold')}>
              {row.title}
              {!row.is_read && <span className="sr-only"> (non letta)</span>}
            </span>
            <span className="text-sm break-words text-muted-foreground">{row.message}</span>
            <time dateTime={row.created_at} title={fullDate(row.created_at)} className="text-xs text-muted-foreground">
              {relativeTime(row.created_at)}
            </time>
          </span>
        </button>
        {!row.is_read && row.entity_id && <NotificationAction row={row} entityId={row.entity_id} />}
      </div>
      <div className="flex flex-col-reverse p-2 sm:flex-row">
        {!row.is_read && (
          <Button
            variant="ghost"
            size="icon"
            className="text-muted-foreground"
            aria-label={`Segna come letta: ${row.title}`}
            title="Segna come letta"
            onClick={() => markRead.mutate([row.id])}
          >
            <CheckIcon aria-hidden />
          </Button>
        )}
        <Button
          variant="ghost"
          size="icon"
          className="text-muted-foreground"
          aria-label={`Elimina: ${row.title}`}
          title="Elimina"
          onClick={onDelete}
        >
          <Trash2Icon aria-hidden />
        </Button>
      </div>
    </li>
  )
}
