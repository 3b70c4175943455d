/** Pages are loaded on demand; meanwhile the main area says 'Caricamento pagina...' (spec section 2). */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

import { PageSpinner } from '@/components/page-spinner'

let count = 0

/** The element of a route whose module `load` gets at the first visit. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): ReactNode {
  const Page = lazy(load)
  count += 1
  return (
    // The key makes each page its own boundary: the text appears at once instead of the old page staying.
    <Suspense key={count} fallback={<PageSpinner text="Caricamento pagina..." />}>
      <Page />
    </Suspense>
  )
}
