/** What the auth service offers on this installation (GET /auth/v1/settings): public, the same for everybody. */
import type { Provider } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'

import { callAuth } from '@/data/gotrue'

type Settings = { external: Record<string, boolean>; passkeys_enabled?: boolean; oauth_server_enabled?: boolean }

type AuthOffer = {
  providers: Provider[]
  passkeys: boolean
  /** Applications elsewhere may ask for access. */
  applications: boolean
}

// Ways in that are no accounts elsewhere.
const own = new Set(['email', 'phone', 'anonymous_users'])

async function fetchOffer(): Promise<AuthOffer> {
  const {
    external,
    passkeys_enabled = false,
    oauth_server_enabled = false,
  } = await callAuth<Settings>('GET', '/settings')
  const providers = Object.keys(external).filter((name) => external[name] && !own.has(name))
  return { providers: providers as Provider[], passkeys: passkeys_enabled, applications: oauth_server_enabled }
}

export const authOfferQuery = queryOptions({
  queryKey: ['auth-settings'],
  queryFn: fetchOffer,
  staleTime: 60 * 60_000,
})
