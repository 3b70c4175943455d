import { CloudOffIcon, WifiOffIcon } from 'lucide-react'
import { useSyncExternalStore } from 'react'

import { useReachable } from '@/lib/connection'

/** One calm line while the server does not answer or there is no network; what was loaded before stays on screen. */
export function ConnectionNotice() {
  const isReachable = useReachable()
  const isOnline = useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  )
  if (isReachable && isOnline) return null
  const Icon = isOnline ? CloudOffIcon : WifiOffIcon
  return (
    <div
      role="status"
      // A restart of a second is nobody's business: the line fades in after two.
      className="sticky top-14 z-30 animate-in border-b bg-warning-tint duration-200 fill-mode-both fade-in-0 [animation-delay:2s]"
    >
      <p className="column flex items-center gap-2.5 py-2 text-sm">
        <Icon aria-hidden className="size-4 shrink-0" />
        {isOnline
          ? 'Connessione interrotta. Vedi gli ultimi dati ricevuti: riproviamo da soli.'
          : 'Sei offline. Vedi gli ultimi dati ricevuti: riprendiamo appena torna la rete.'}
      </p>
    </div>
  )
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
