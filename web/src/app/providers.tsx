/** Everything that wraps the routes. */
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'

import { AuthProvider } from '@/app/auth-provider'
import { createQueryClient } from '@/app/query-client'
import { useResolvedTheme } from '@/lib/theme'

// Nothing to say during the first paint: the toasts come after it.
const Toasts = lazy(() => import('@/app/toasts'))

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient)
  const theme = useResolvedTheme()
  return (
    <QueryClientProvider client={client}>
      <AuthProvider>{children}</AuthProvider>
      <Suspense>
        <Toasts theme={theme} />
      </Suspense>
    </QueryClientProvider>
  )
}
