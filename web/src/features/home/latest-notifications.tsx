import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { NotificationDot } from '@/components/notification-dot'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { track } from '@/data/analytics'
import { type Notification, notificationsQuery } from '@/data/notifications'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'

const SHOWN = 3

export function LatestNotifications({ userId }: { userId: string }) {
  const { data: rows, isPending, refetch } = useQuery(notificationsQuery(userId))
  return (
    <Card>
      <CardTitle>Ultime notifiche</CardTitle>
      {isPending && (
        <div className="grid gap-3" aria-busy>
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      )}
      {!isPending && !rows && <LoadError text="Non riusciamo a leggere le notifiche." onRetry={() => void refetch()} />}
      {rows?.length === 0 && (
        <p className="text-sm text-muted-foreground">Nessuna notifica. Quando succede qualcosa, lo leggi qui.</p>
      )}
      {rows && rows.length > 0 && <Rows rows={rows.slice(0, SHOWN)} />}
      <Button variant="outline" asChild>
        <Link to={paths.notifications} onClick={() => track('dashboard_stat_clicked', { stat: 'notifications' })}>
          Apri le notifiche
        </Link>
      </Button>
    </Card>
  )
}

function Rows({ rows }: { rows: Notification[] }) {
  return (
    <ul className="divide-y">
      {rows.map((row) => (
        <li key={row.id} className="flex gap-3 py-3 text-sm first:pt-0 last:pb-0">
          <NotificationDot type={row.type} className="mt-1.5" />
          <div className="grid min-w-0 gap-0.5">
            <p className={cn('break-words', !row.is_read && 'font-semibold')}>{row.title}</p>
            <p className="line-clamp-2 break-words text-muted-foreground">{row.message}</p>
            <time dateTime={row.created_at} title={fullDate(row.created_at)} className="text-xs text-muted-foreground">
              {relativeTime(row.created_at)}
            </time>
          </div>
        </li>
      ))}
    </ul>
  )
}
