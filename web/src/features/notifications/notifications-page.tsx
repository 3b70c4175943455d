/** /notifications: everything Socio had to say, newest first, by day. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellIcon, CheckCheckIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { MarkAllRead } from '@/components/mark-all-read'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { notificationPagesQuery, type NotificationView } from '@/data/notifications'
import { NotificationList } from '@/features/notifications/notification-list'
import { cn } from '@/lib/cn'
import { useLiveState } from '@/lib/live'

const views: { value: NotificationView; label: string }[] = [
  { value: 'tutte', label: 'Tutte' },
  { value: 'non-lette', label: 'Non lette' },
]

export default function NotificationsPage() {
  const { id: userId } = useUser()
  const [params, setParams] = useSearchParams()
  const [deleted, setDeleted] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  const view = params.get('vista') === 'non-lette' ? 'non-lette' : 'tutte'
  const all = useInfiniteQuery(notificationPagesQuery(userId, 'tutte'))
  const unread = useInfiniteQuery(notificationPagesQuery(userId, 'non-lette'))
  // What was read a moment ago is still in the answer.
  const unreadRows = (unread.data ?? []).filter((row) => !row.is_read)
  const query = view === 'non-lette' ? unread : all
  const rows = view === 'non-lette' ? unreadRows : (all.data ?? [])
  const live = useLiveState()

  return (
    <div className="column max-w-3xl py-8">
      <PageTitle>Notifiche</PageTitle>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold">
          Notifiche
        </h1>
        <MarkAllRead rows={unreadRows} variant="outline" icon={<CheckCheckIcon aria-hidden />} />
      </header>
      <div role="group" aria-label="Filtra" className="mb-5 flex gap-1.5">
        {views.map(({ value, label }) => (
          <button
            key={value}
            aria-pressed={view === value}
            onClick={() => setParams(value === 'tutte' ? {} : { vista: value }, { replace: true })}
            className={cn(
              'h-11 rounded-full border bg-card px-4 text-sm font-medium tabular transition-colors hover:bg-muted',
              view === value && 'border-primary bg-secondary text-secondary-foreground hover:bg-secondary',
            )}
          >
            {label}
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
      {query.data && rows.length === 0 && !query.hasNextPage && <Nothing filtered={view === 'non-lette'} />}
      {rows.length > 0 && (
        <NotificationList
          rows={rows}
          heading={heading}
          onDeleted={(title) => setDeleted(`Notifica eliminata: ${title}`)}
        />
      )}
      {query.hasNextPage && (
        <div className="mt-6 grid">
          <MoreButton query={query}>Mostra altre</MoreButton>
        </div>
      )}
      <p role="status" className="sr-only">
        {deleted}
      </p>
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

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border border-dashed px-6 py-14 text-center">
      <BellIcon aria-hidden className="size-6 text-muted-foreground" />
      <p className="font-medium">{filtered ? 'Hai letto tutto' : 'Nessuna notifica'}</p>
      <p className="max-w-sm text-sm text-muted-foreground">
        Qui arrivano conferme, scadenze e avvisi che ti riguardano.
      </p>
    </div>
  )
}
