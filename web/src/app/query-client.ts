/** The query cache and its rules of failure. */
import { QueryCache, QueryClient } from '@tanstack/react-query'

import { isSessionRefused, renewSession } from '@/data/session'
import { isReachable, subscribe } from '@/lib/connection'

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        // The token looked valid here and not there (rotated keys, revoked session): the auth service decides.
        if (isSessionRefused(error)) void renewSession()
      },
    }),
    defaultOptions: {
      queries: {
        // supabase-js retries reads by itself and waits as long as Retry-After says.
        retry: false,
        staleTime: 10_000,
        // A phone that wrongly believes to be offline must still try.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  subscribe(() => {
    if (isReachable()) void client.refetchQueries({ predicate: (query) => query.state.status === 'error' })
  })
  return client
}
