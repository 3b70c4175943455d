/** Pages are loaded on demand; meanwhile the main area says 'Caricamento pagina...' (GUARD-08). */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'

import { PageSpinner } from '@/components/page-spinner'
import { loadChunk } from '@/lib/chunk'

const loads = new WeakMap<object, () => Promise<unknown>>()

/** Begins to load the page behind an element of `lazyPage`, before anybody knows who may see it. */
export function preloadPage(element: ReactNode): void {
  const load = typeof element === 'object' && element !== null ? loads.get(element) : undefined
  // Whoever shows the page tries again, and tells.
  load?.().catch(() => undefined)
}

/** The element of a route whose module `load` gets at the first visit; one that failed is tried again at the next. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): ReactNode {
  // Once it is there it is drawn at once: React would hold back for 300 ms what replaces a text that it has just shown.
  let loaded: ComponentType | undefined
  const loadOnce = async () => ({ default: (loaded = (await load()).default) })
  // React keeps a failure for good: the next visit needs another lazy component.
  const attempt = () =>
    lazy(() =>
      loadChunk(loadOnce).catch((error: unknown) => {
        latest = attempt()
        throw error
      }),
    )
  let latest = attempt()

  // A component of its own for each page makes it its own boundary: the text appears at once instead of the old page
  // staying.
  function Visit() {
    const [Page] = useState(() => loaded ?? latest)
    return (
      <Suspense fallback={<PageSpinner text="Caricamento pagina..." />}>
        <Page />
      </Suspense>
    )
  }
  const element = <Visit />
  loads.set(element, loadOnce)
  return element
}
