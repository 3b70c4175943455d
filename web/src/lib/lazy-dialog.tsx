/** Dialogs whose code comes when they are opened. */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { toast } from 'sonner'

import { isLostChunk } from '@/lib/chunk'

type Closable = { onClose: () => void }

/**
 * As `lazy`, with its own boundary. When the code cannot be had it closes and says so: the page behind it, and what was
 * typed there, stays. Opening it again tries again, except in Chrome, which remembers the failure until a reload.
 */
export function lazyDialog<Props extends Closable>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  // React keeps a failure for good: the next opening needs another lazy component.
  const attempt = () =>
    lazy(() =>
      load().catch((error: unknown) => {
        latest = attempt()
        if (error instanceof Error && isLostChunk(error)) return { default: Lost as ComponentType<Props> }
        throw error
      }),
    )
  let latest = attempt()

  return function LazyDialog(props: Props) {
    const [Dialog] = useState(() => latest)
    return (
      <Suspense>
        <Dialog {...props} />
      </Suspense>
    )
  }
}

function Lost({ onClose }: Closable): null {
  useEffect(() => {
    toast.error('Non siamo riusciti ad aprire la finestra', {
      id: 'finestra-persa',
      description: 'Controlla la connessione e riprova. Se non basta, ricarica la pagina.',
      action: { label: 'Ricarica', onClick: () => window.location.reload() },
    })
    onClose()
  }, [onClose])
  return null
}
