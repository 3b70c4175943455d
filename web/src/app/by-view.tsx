/** Shows another page for one view of an address (`?vista=…`). */
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'

export function ByView({ view, page, otherwise }: { view: string; page: ReactNode; otherwise: ReactNode }) {
  const [params] = useSearchParams()
  return params.get('vista') === view ? page : otherwise
}
