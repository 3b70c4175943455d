/** The page in place of one that needs the network; written to HTML by vite/prerender.ts, without any script of the app. */
import { WifiOffIcon } from 'lucide-react'

import { Logo } from '@/components/logo'
import { buttonVariants } from '@/components/ui/button'
import { paths } from '@/paths'

/** Asks again for the address that the browser shows. */
const SAME_PAGE = ''

export function Offline() {
  return (
    // theme.js hides what is written to HTML from people with a session.
    <main className="column visible grid min-h-dvh place-content-center justify-items-center gap-3 py-12 text-center">
      <Logo className="mb-6" />
      <span className="mb-2 grid size-14 place-items-center rounded-full bg-secondary text-secondary-foreground">
        <WifiOffIcon aria-hidden className="size-6" />
      </span>
      <h1 className="font-display text-3xl font-medium text-balance">Sei offline</h1>
      <p className="max-w-md text-pretty text-muted-foreground">
        Questa pagina ha bisogno della rete. Appena torna, riprova.
      </p>
      <div className="mt-3 flex flex-wrap justify-center gap-3">
        <a href={paths.home} className={buttonVariants({ variant: 'outline' })}>
          Vai alla Home
        </a>
        <a href={SAME_PAGE} className={buttonVariants()}>
          Riprova
        </a>
      </div>
    </main>
  )
}
