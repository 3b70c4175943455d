/** Accounts elsewhere (Google, GitHub, …) by which the person may sign in. */
import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { accepted } from '@/data/gotrue'
import { renewSession } from '@/data/session'
import { supabase } from '@/lib/supabase'

const KEY = ['identities'] as const

export function identitiesQuery(userId: string) {
  return queryOptions({
    queryKey: [...KEY, userId],
    queryFn: async () => accepted(await supabase.auth.getUserIdentities()).identities,
  })
}

/** Leaves the page for the provider, which sends the person back to `returnTo`. */
async function linkIdentity({ provider, returnTo }: { provider: Provider; returnTo: string }): Promise<void> {
  accepted(await supabase.auth.linkIdentity({ provider, options: { redirectTo: returnTo } }))
}

async function unlinkIdentity(identity: UserIdentity): Promise<void> {
  accepted(await supabase.auth.unlinkIdentity(identity))
  await renewSession()
}

export function useLinkIdentity() {
  return useMutation({ mutationFn: linkIdentity })
}

export function useUnlinkIdentity() {
  const client = useQueryClient()
  return useMutation({ mutationFn: unlinkIdentity, onSettled: () => client.invalidateQueries({ queryKey: KEY }) })
}
