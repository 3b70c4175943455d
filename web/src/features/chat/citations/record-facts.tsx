/** How a record is shown: its facts in two columns, its long text, its page. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'

/** What is not known is left out. */
export type Facts = readonly (readonly [label: string, value: ReactNode])[]

export function RecordFacts({ facts, text }: { facts: Facts; text?: string | null | undefined }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return (
    <>
      {known.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
          {known.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted-foreground">{label}</dt>
              <dd className="break-words tabular">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {text && (
        <p className="rounded-md border bg-background px-3 py-2 text-sm break-words whitespace-pre-wrap">{text}</p>
      )}
    </>
  )
}

type LoadedProps<T> = { query: UseQueryResult<T | null | undefined>; children: (row: T) => ReactNode }

/** The row in its four states; a row that is gone since is told. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.isPending) return <Skeleton aria-busy className="h-40" />
  if (query.isError && query.data === undefined)
    return <LoadError text="Non riusciamo a leggere questo dato." onRetry={() => void query.refetch()} />
  if (query.data === null || query.data === undefined)
    return <p className="text-sm">Non c’è più: è stato eliminato dopo questa risposta.</p>
  return children(query.data)
}

export function OpenRecord({ to, children }: { to: string; children: string }) {
  return (
    <Button asChild className="justify-self-start self-start">
      <Link to={to}>{children}</Link>
    </Button>
  )
}
