/** What a search answers: a skeleton until it is there, an error with another try, or that nothing was found. */
import { keepPreviousData, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { SearchXIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'

type Props<Item> = {
  query: UseQueryOptions<Item[], Error, Item[], (string | number)[]>
  /** The title when nothing was found. */
  none: string
  children: (found: Item[]) => ReactNode
}

export function SearchAnswer<Item>({ query, none, children }: Props<Item>) {
  // The last answer stays until the next one is there: a search does not flicker.
  const { data, isPending, refetch } = useQuery({ ...query, placeholderData: keepPreviousData })
  if (isPending) return <Skeleton aria-busy className="h-72" />
  if (!data) return <LoadError text="La ricerca non è riuscita: riprova." onRetry={() => void refetch()} />
  if (data.length === 0)
    return <EmptyState icon={SearchXIcon} title={none} text="Prova con una parola sola, o meno precisa." isAnswer />
  return children(data)
}
