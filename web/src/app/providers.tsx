/** Everything that wraps the routes. */
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { AuthProvider } from '@/app/auth-provider'
import { createQueryClient } from '@/app/query-client'
import { Toaster } from '@/components/ui/sonner'
import { useResolvedTheme } from '@/lib/theme'

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient)
  const theme = useResolvedTheme()
  return (
    <QueryClientProvider client={client}>
      <AuthProvider>{children}</AuthProvider>
      <Toaster theme={theme} />
    </QueryClientProvider>
  )
}
