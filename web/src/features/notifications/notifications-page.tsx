/** /notifications: everything Socio had to say, newest first, by day. */
import { useQuery } from '@tanstack/react-query'
import { BellIcon, CheckCheckIcon } from 'lucide-react'
import { useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { MarkAllRead } from '@/components/mark-all-read'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { useAuth } from '@/data/auth-context'
import { type Notification, notificationsQuery } from '@/data/notifications'
import { NotificationList } from '@/features/notifications/notification-list'
import { cn } from '@/lib/cn'
import { useLiveState } from '@/lib/live'

const views = [
  { value: 'tutte', label: 'Tutte' },
  { value: 'non-lette', label: 'Non lette' },
]

export default function NotificationsPage() {
  const { user } = useAuth()
  const [params, setParams] = useSearchParams()
  const query = useQuery({ ...notificationsQuery(user?.id ?? ''), enabled: Boolean(user) })
  const view = params.get('vista') === 'non-lette' ? 'non-lette' : 'tutte'
  const rows = query.data ?? []
  const unread = rows.filter((row) => !row.is_read)
  const live = useLiveState()

  return (
    <div className="column max-w-3xl py-8">
      <PageTitle>Notifiche</PageTitle>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <h1 className="text-2xl font-semibold">Notifiche</h1>
        <MarkAllRead rows={rows} variant="outline" icon={<CheckCheckIcon aria-hidden />} />
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
            {value === 'non-lette' && unread.length > 0 && ` (${unread.length})`}
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
      {query.data && <Content rows={view === 'non-lette' ? unread : rows} filtered={view === 'non-lette'} />}
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

function Content({ rows, filtered }: { rows: Notification[]; filtered: boolean }) {
  if (rows.length > 0) return <NotificationList rows={rows} />
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
