/** /notifications: everything Socio had to say, newest first, by day. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellIcon, CheckCheckIcon, Settings2Icon } from 'lucide-react'
import { useRef } from 'react'
import { Link, useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { MarkAllRead } from '@/components/mark-all-read'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { notificationPagesQuery, type NotificationView } from '@/data/notifications'
import { NotificationList } from '@/features/notifications/notification-list'
import { TooMany } from '@/features/notifications/too-many'
import { cn } from '@/lib/cn'
import { useLiveState } from '@/lib/live'
import { paths } from '@/paths'
import { notificationCategories } from '@/strings/labels'

/** The briefing is on /home, alarms are on /admin; whoever gets them here too finds them among all. */
const { briefing: _briefing, amministrazione: _alarms, ...categories } = notificationCategories
const labels: Partial<Record<NotificationView, string>> = {
  tutte: 'Tutte',
  'non-lette': 'Non lette',
  ...categories,
}
const views = Object.keys(labels) as NotificationView[]

export default function NotificationsPage() {
  const { id: userId } = useUser()
  const [params, setParams] = useSearchParams()
  const heading = useRef<HTMLHeadingElement>(null)
  const view = views.find((each) => each === params.get('vista')) ?? 'tutte'
  const all = useInfiniteQuery(notificationPagesQuery(userId, 'tutte'))
  const unread = useInfiniteQuery(notificationPagesQuery(userId, 'non-lette'))
  // What was read a moment ago is still in the answer.
  const unreadRows = (unread.data ?? []).filter((row) => !row.is_read)
  // Another key only where it is another list.
  const query = useInfiniteQuery(notificationPagesQuery(userId, view))
  const rows = view === 'non-lette' ? unreadRows : (query.data ?? [])
  const live = useLiveState()

  return (
    <div className="column max-w-3xl py-8">
      <PageTitle>Notifiche</PageTitle>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold">
          Notifiche
        </h1>
        <div className="flex flex-wrap items-center gap-2">
          <MarkAllRead rows={unreadRows} variant="outline" icon={<CheckCheckIcon aria-hidden />} />
          <Button variant="ghost" size="icon" asChild>
            <Link
              to={paths.settingsNotifications}
              aria-label="Preferenze delle notifiche"
              title="Preferenze delle notifiche"
            >
              <Settings2Icon aria-hidden />
            </Link>
          </Button>
        </div>
      </header>
      <div
        role="group"
        aria-label="Filtra"
        className="-mx-4 mb-5 flex gap-1.5 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:px-0"
      >
        {views.map((value) => (
          <button
            key={value}
            aria-pressed={view === value}
            onClick={() => setParams(value === 'tutte' ? {} : { vista: value }, { replace: true })}
            className={cn(
              'h-11 shrink-0 rounded-full border bg-card px-4 text-sm font-medium tabular transition-colors hover:bg-muted',
              view === value && 'border-primary bg-secondary text-secondary-foreground hover:bg-secondary',
            )}
          >
            {labels[value]}
            {value === 'non-lette' &&
              unreadRows.length > 0 &&
              ` (${unreadRows.length}${unread.hasNextPage ? '+' : ''})`}
          </button>
        ))}
      </div>
      {live === 'lost' && query.data && !query.isError && (
        <p role="status" className="-mt-2 mb-4 text-sm text-muted-foreground">
          Aggiornamento in tempo reale non disponibile, riprovo: intanto controllo ogni 30 secondi.
        </p>
      )}
      {query.isPending && <Loading />}
      {query.isError && !query.data && (
        <LoadError
          text="Non riusciamo a leggere le notifiche. Le tue notifiche sono al sicuro: riprova tra un momento."
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data && rows.length === 0 && !query.hasNextPage && <Nothing view={view} />}
      <TooMany rows={all.data ?? []} />
      {rows.length > 0 && <NotificationList key={view} rows={rows} heading={heading} />}
      {query.hasNextPage && (
        <div className="mt-6 grid">
          <MoreButton query={query}>Mostra altre</MoreButton>
        </div>
      )}
    </div>
  )
}

function Loading() {
  return (
    <div aria-busy className="divide-y rounded-md border bg-card">
      {['a', 'b', 'c', 'd'].map((key) => (
        <div key={key} className="grid gap-2 p-5">
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      ))}
    </div>
  )
}

const nothing: Partial<Record<NotificationView, string>> = {
  tutte: 'Nessuna notifica',
  'non-lette': 'Hai letto tutto',
}

function Nothing({ view }: { view: NotificationView }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border border-dashed px-6 py-14 text-center">
      <BellIcon aria-hidden className="size-6 text-muted-foreground" />
      <p className="font-medium">{nothing[view] ?? 'Niente di questo tipo'}</p>
      <p className="max-w-sm text-sm text-muted-foreground">
        Qui arrivano conferme, scadenze e avvisi che ti riguardano.
      </p>
    </div>
  )
}
