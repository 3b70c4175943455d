import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'

type Props = {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
  children: ReactNode
}

/** The end of a list that has more: asks for the next page; nothing when all is there. */
export function MoreButton({ query, children }: Props) {
  if (!query.hasNextPage) return null
  return (
    <Button
      variant="outline"
      className="self-center justify-self-center"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {query.isFetchingNextPage && <Spinner aria-hidden />}
      {children}
    </Button>
  )
}
