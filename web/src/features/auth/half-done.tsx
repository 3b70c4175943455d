import type { ReactNode } from 'react'

import { AuthScreen } from '@/features/auth/auth-screen'

/** One of the two addresses of an e-mail change has confirmed. */
export function HalfDone({ children }: { children?: ReactNode }) {
  return (
    <AuthScreen
      title="Manca un passo"
      intro="Abbiamo scritto a entrambi i tuoi indirizzi: apri anche l’altra email e conferma da lì. Fino ad allora resta valido l’indirizzo di prima."
    >
      {children}
    </AuthScreen>
  )
}
