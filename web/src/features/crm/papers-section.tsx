/** A card of what hangs on a contact, in its four states, with a link to all of it. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'

type Props<T> = {
  title: string
  query: UseQueryResult<T>
  /** How many there are in all. */
  count: (data: T) => number
  /** What to say when there are none. */
  none: string
  /** What to say when they cannot be read. */
  failed: string
  all?: { to: string; text: string }
  children: (data: T) => ReactNode
}

export function PapersSection<T>({ title, query, count, none, failed, all, children }: Props<T>) {
  const { data, isPending, isError, refetch } = query
  const many = data === undefined ? 0 : count(data)
  return (
    <Card>
      <CardTitle>
        {title}
        {many > 0 && ` (${many})`}
      </CardTitle>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && data === undefined && <LoadError text={failed} onRetry={() => void refetch()} />}
      {data !== undefined && many === 0 && <p className="text-sm text-muted-foreground">{none}</p>}
      {data !== undefined && many > 0 && <ul className="divide-y">{children(data)}</ul>}
      {all && many > 0 && (
        <Link to={all.to} className="text-sm font-medium text-primary hover:underline">
          {all.text}
        </Link>
      )}
    </Card>
  )
}

/** Whose row this is, where a company shows those of its people too. */
export type Names = ReadonlyMap<string, string>

export function Whose({ names, contactId }: { names: Names; contactId: string | null }) {
  const name = contactId && names.get(contactId)
  return name ? <span className="truncate text-muted-foreground">{name}</span> : null
}
