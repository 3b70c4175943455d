import { CloudOffIcon } from 'lucide-react'

import { useReachable } from '@/lib/connection'

/** One calm line while the server does not answer; what was loaded before stays on screen. */
export function ConnectionNotice() {
  if (useReachable()) return null
  return (
    <div
      role="status"
      // A restart of a second is nobody's business: the line fades in after two.
      className="sticky top-14 z-30 animate-in border-b bg-warning-tint duration-200 fill-mode-both fade-in-0 [animation-delay:2s]"
    >
      <p className="column flex items-center gap-2.5 py-2 text-sm">
        <CloudOffIcon aria-hidden className="size-4 shrink-0" />
        Connessione interrotta. Vedi gli ultimi dati ricevuti: riproviamo da soli.
      </p>
    </div>
  )
}
