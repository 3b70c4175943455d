/** The contacts and deals that were deleted, until the server erases them: each can be taken out again. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Trash2Icon } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useRestoreContacts } from '@/data/contacts'
import { trashedContactsQuery, trashedDealsQuery } from '@/data/crm-trash'
import { useChangeDeal } from '@/data/deals'
import { TRASH_DAYS } from '@/data/deletions'
import { paths } from '@/paths'

const DAY_MS = 86_400_000
const onError = () => toast.error('Non siamo riusciti a ripristinare: riprova')

export function Trash({ userId }: { userId: string }) {
  const contacts = useInfiniteQuery(trashedContactsQuery(userId))
  const deals = useInfiniteQuery(trashedDealsQuery(userId))
  const restoreContacts = useRestoreContacts(onError)
  const changeDeal = useChangeDeal(userId)

  if (contacts.isPending || deals.isPending) return <Skeleton aria-busy className="h-64" />
  if (!contacts.data || !deals.data)
    return (
      <LoadError
        text="Non riusciamo a leggere il cestino. I tuoi dati sono al sicuro: riprova tra un momento."
        onRetry={() => {
          void contacts.refetch()
          void deals.refetch()
        }}
      />
    )
  if (contacts.data.length + deals.data.length === 0)
    return (
      <EmptyState
        icon={Trash2Icon}
        title="Il cestino è vuoto"
        text={`I contatti e le trattative che elimini restano qui ${TRASH_DAYS} giorni, poi spariscono da soli.`}
      />
    )
  return (
    <>
      <Deleted
        title="Contatti"
        rows={contacts.data}
        pathOf={paths.crmContact}
        isBusy={restoreContacts.isPending}
        onRestore={(id) => restoreContacts.mutate([id], { onSuccess: () => toast('Contatto ripristinato') })}
        onMore={contacts.hasNextPage ? () => void contacts.fetchNextPage() : null}
      />
      <Deleted
        title="Trattative"
        rows={deals.data}
        isBusy={changeDeal.isPending}
        onRestore={(id) =>
          changeDeal.mutate(
            { id, change: { deleted_at: null } },
            { onSuccess: () => toast('Trattativa ripristinata'), onError },
          )
        }
        onMore={deals.hasNextPage ? () => void deals.fetchNextPage() : null}
      />
    </>
  )
}

type DeletedProps = {
  title: string
  rows: { id: string; name: string; deleted_at: string | null }[]
  /** Where one of them can be looked at. */
  pathOf?: (id: string) => string
  isBusy: boolean
  onRestore: (id: string) => void
  /** Null when all of them are shown. */
  onMore: (() => void) | null
}

function Deleted({ title, rows, pathOf, isBusy, onRestore, onMore }: DeletedProps) {
  const id = useId()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <h2 id={id} className="text-sm font-medium text-muted-foreground">
        {title}
      </h2>
      <ul aria-labelledby={id} className="divide-y rounded-md border bg-card">
        {rows.map((row) => (
          <li key={row.id} className="flex flex-wrap items-center justify-between gap-2 py-2 pr-2 pl-4 text-sm">
            <span className="grid min-w-0 gap-0.5">
              {pathOf ? (
                <Link to={pathOf(row.id)} className="font-medium break-words underline-offset-4 hover:underline">
                  {row.name}
                </Link>
              ) : (
                <span className="font-medium break-words">{row.name}</span>
              )}
              <span className="text-muted-foreground tabular">{row.deleted_at && daysLeft(row.deleted_at)}</span>
            </span>
            <Button
              variant="ghost"
              aria-label={`Ripristina ${row.name}`}
              disabled={isBusy}
              onClick={() => onRestore(row.id)}
            >
              Ripristina
            </Button>
          </li>
        ))}
      </ul>
      {onMore && (
        <Button variant="outline" className="justify-self-start" onClick={onMore}>
          Mostra altri
        </Button>
      )}
    </section>
  )
}

function daysLeft(deletedAt: string): string {
  const days = Math.max(0, Math.ceil(TRASH_DAYS - (Date.now() - Date.parse(deletedAt)) / DAY_MS))
  return days === 1 ? 'ancora 1 giorno' : `ancora ${days} giorni`
}
