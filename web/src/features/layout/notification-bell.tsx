/** The bell with its badge, and the popover with the latest ten notifications (NOTICE-01). */
import { useQuery } from '@tanstack/react-query'
import { BellIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { LoadError } from '@/components/load-error'
import { MarkAllRead } from '@/components/mark-all-read'
import { NotificationDot } from '@/components/notification-dot'
import { Button } from '@/components/ui/button'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import { Skeleton } from '@/components/ui/skeleton'
import { type Notification, notificationsQuery, useMarkRead } from '@/data/notifications'
import { safePath } from '@/lib/action-url'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'
import { badgeCount } from '@/strings/numbers'

const SHOWN = 10

export function NotificationBell({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const query = useQuery(notificationsQuery(userId))
  const markRead = useMarkRead()
  const unread = (query.data ?? []).filter((row) => !row.is_read).length

  function choose(row: Notification) {
    if (!row.is_read) markRead.mutate([row.id])
    const target = safePath(row.action_url)
    if (!target) return
    setOpen(false)
    void navigate(target)
  }

  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          variant="ghost"
          size="icon"
          className="relative"
          aria-label={unread > 0 ? `Notifiche, ${unread} non ${unread === 1 ? 'letta' : 'lette'}` : 'Notifiche'}
        >
          <BellIcon aria-hidden />
          {unread > 0 && (
            <span
              aria-hidden
              data-testid="unread-badge"
              className="absolute top-0.5 right-0 grid h-[18px] min-w-[18px] place-items-center rounded-full bg-terracotta px-1 text-xs leading-none font-semibold text-terracotta-foreground tabular"
            >
              {badgeCount(unread)}
            </span>
          )}
        </Button>
      </PopoverTrigger>
      <PopoverContent
        align="end"
        className="w-96 max-w-(--radix-popover-content-available-width)"
        aria-label="Notifiche"
      >
        <div className="flex min-h-12 items-center justify-between gap-2 py-0.5 pl-4">
          <h2 className="text-base font-semibold">Notifiche</h2>
          <MarkAllRead rows={query.data ?? []} variant="link" />
        </div>
        <div className="max-h-[min(26rem,60dvh)] overflow-y-auto border-y">
          <Rows query={query} onChoose={choose} />
        </div>
        <div className="p-1.5">
          <Button variant="ghost" className="w-full" asChild>
            <Link to={paths.notifications} onClick={() => setOpen(false)}>
              Vedi tutte le notifiche
            </Link>
          </Button>
        </div>
      </PopoverContent>
    </Popover>
  )
}

type RowsProps = {
  query: { data: Notification[] | undefined; isPending: boolean; refetch: () => unknown }
  onChoose: (row: Notification) => void
}

function Rows({ query, onChoose }: RowsProps) {
  const { data: rows, isPending } = query
  if (isPending) {
    return (
      <div className="grid gap-4 p-4" aria-busy>
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
      </div>
    )
  }
  // Rows that arrived before the server went away stay on screen.
  if (!rows) {
    return (
      <div className="p-3">
        <LoadError text="Non riusciamo a leggere le notifiche." onRetry={() => void query.refetch()} />
      </div>
    )
  }
  if (rows.length === 0) return <p className="px-4 py-8 text-center text-sm text-muted-foreground">Nessuna notifica</p>
  return (
    <ul>
      {rows.slice(0, SHOWN).map((row) => (
        <li key={row.id} className="border-b last:border-b-0">
          <button
            onClick={() => onChoose(row)}
            className={cn(
              'flex w-full gap-3 px-4 py-3 text-left text-sm transition-colors hover:bg-muted focus-visible:-outline-offset-2',
              !row.is_read && 'bg-secondary/50',
            )}
          >
            <NotificationDot type={row.type} className="mt-1.5" />
            <span className="grid min-w-0 gap-0.5">
              <span className={cn('break-words', !row.is_read && 'font-semibold')}>{row.title}</span>
              <span className="line-clamp-2 break-words text-muted-foreground">{row.message}</span>
              <time
                dateTime={row.created_at}
                title={fullDate(row.created_at)}
                className="text-xs text-muted-foreground"
              >
                {relativeTime(row.created_at)}
              </time>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
