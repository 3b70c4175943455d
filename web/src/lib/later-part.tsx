/** Parts of a page that visitors have in its prerendered HTML, and whose code they load with their first sign. */
import { type ComponentType, lazy, type ReactElement, Suspense } from 'react'

import { never } from '@/lib/chunk'
import { firstInteraction } from '@/lib/first-interaction'
import { hasStoredSession } from '@/lib/stored-session'

/**
 * Returns an element that never changes: a boundary that is rendered anew before its code is there loses the HTML it has.
 * Without its code it stays as the HTML has it: an error would take the whole page away. The app draws pages anew, so
 * whoever is signed in does not wait.
 *
 * @param atBuild the component while the HTML is made, else false: `import.meta.env.SSR && (await import(…)).Part`
 */
export function laterPart(atBuild: ComponentType | false, load: () => Promise<ComponentType>): ReactElement {
  const Part =
    atBuild ||
    lazy(async () => {
      if (!hasStoredSession()) await firstInteraction()
      return { default: await load().catch(never) }
    })
  return (
    <Suspense>
      <Part />
    </Suspense>
  )
}
