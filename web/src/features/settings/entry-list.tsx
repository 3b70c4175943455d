/** The rows inside the cards of /settings/security: what there is, since when, and what can be done with it. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'

type EntryProps = { icon: LucideIcon; title: ReactNode; text?: ReactNode; children?: ReactNode }

export function Entry({ icon: Icon, title, text, children }: EntryProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <Icon aria-hidden className="size-5 shrink-0 text-primary" />
      <div className="grid min-w-40 flex-1">
        <span className="font-medium break-words">{title}</span>
        {text && <span className="text-sm text-muted-foreground">{text}</span>}
      </div>
      {children && <div className="-ml-3 flex flex-wrap sm:ml-0">{children}</div>}
    </li>
  )
}

type Query<T> = { data: T[] | undefined; isError: boolean; refetch: () => unknown }

type Props<T> = {
  query: Query<T>
  /** What the list holds, for people who hear it. */
  label: string
  empty: string
  error: string
  renderRow: (item: T) => ReactNode
}

/** The four states of such a list. While it loads and when it is empty it has the height of one row: nothing below moves. */
export function EntryList<T>({ query, label, empty, error, renderRow }: Props<T>) {
  if (query.isError && !query.data) return <LoadError text={error} onRetry={() => void query.refetch()} />
  if (!query.data) {
    return (
      <div aria-busy className="flex min-h-17 items-center gap-4">
        <Skeleton className="size-5" />
        <div className="grid flex-1 gap-2">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-56" />
        </div>
      </div>
    )
  }
  if (query.data.length === 0)
    return <p className="flex min-h-17 items-center text-sm text-muted-foreground">{empty}</p>
  return (
    <ul aria-label={label} className="divide-y">
      {query.data.map((item) => renderRow(item))}
    </ul>
  )
}
