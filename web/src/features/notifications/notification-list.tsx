/** Notifications grouped by day; `j` and `k` move between them. */
import { CheckIcon, Trash2Icon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { NotificationDot } from '@/components/notification-dot'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { type Notification, useDeleteNotification, useMarkRead } from '@/data/notifications'
import { safePath } from '@/lib/action-url'
import { cn } from '@/lib/cn'
import { useShortcut } from '@/lib/shortcut'
import { dayLabel, fullDate, relativeTime } from '@/strings/dates'

type Props = {
  rows: Notification[]
  /** What has the focus once the last one is gone. */
  heading: RefObject<HTMLElement | null>
  onDeleted: (title: string) => void
}

export function NotificationList({ rows, heading, onDeleted }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const days = Map.groupBy(rows, (row) => dayLabel(row.created_at))

  /** The rows, and the place of the one with the focus. */
  function focused(): [HTMLElement[], number] {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    return [items, items.findIndex((item) => item.parentElement?.contains(document.activeElement))]
  }

  function move(step: 1 | -1) {
    const [items, at] = focused()
    // Nothing focused yet: `j` starts at the first row, `k` at the last.
    const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step
    items[next]?.focus()
  }

  /** Off the row that is about to go: with it the focus would be lost. */
  function leave() {
    const [items, at] = focused()
    if (at !== -1) (items[at + 1] ?? items[at - 1] ?? heading.current)?.focus()
  }

  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))

  return (
    <div ref={list} className="grid gap-6">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 className="mb-2 text-sm font-medium text-muted-foreground">{day}</h2>
          <ul className="divide-y overflow-hidden rounded-md border bg-card">
            {ofDay.map((row) => (
              <NotificationRow key={row.id} row={row} onDelete={leave} onDeleted={onDeleted} />
            ))}
          </ul>
        </section>
      ))}
      <p className="hidden text-xs text-muted-foreground lg:block">
        <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>Canc</Kbd> per eliminare
      </p>
    </div>
  )
}

type RowProps = { row: Notification; onDelete: () => void; onDeleted: (title: string) => void }

function NotificationRow({ row, onDelete, onDeleted }: RowProps) {
  const navigate = useNavigate()
  const markRead = useMarkRead()
  const deletion = useDeleteNotification({
    onSuccess: () => onDeleted(row.title),
    onError: () => toast.error('Non siamo riusciti a eliminare la notifica: riprova'),
  })

  function open() {
    if (!row.is_read) markRead.mutate(row.id)
    const target = safePath(row.action_url)
    if (target) void navigate(target)
  }

  function remove() {
    onDelete()
    deletion.mutate(row.id)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Delete') remove()
  }

  return (
    <li className={cn('flex items-start', !row.is_read && 'bg-secondary/50')}>
      <button
        data-row
        onClick={open}
        onKeyDown={onKeyDown}
        className="flex min-w-0 flex-1 gap-3.5 py-4 pr-2 pl-5 text-left transition-colors hover:bg-muted focus-visible:-outline-offset-2"
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
      <div className="flex flex-col-reverse p-2 sm:flex-row">
        {!row.is_read && (
          <Button
            variant="ghost"
            size="icon"
            className="text-muted-foreground"
            aria-label={`Segna come letta: ${row.title}`}
            title="Segna come letta"
            onClick={() => markRead.mutate(row.id)}
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
          onClick={remove}
        >
          <Trash2Icon aria-hidden />
        </Button>
      </div>
    </li>
  )
}
