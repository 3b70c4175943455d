/** profiles: one row per user. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Tables, TablesUpdate } from '@/data/tables'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

export type Profile = Tables<'profiles'>
export type ProfileChange = Omit<TablesUpdate<'profiles'>, 'user_id'>

async function fetchProfile(userId: string): Promise<Profile | null> {
  return unwrap(await supabase.from('profiles').select('*').eq('user_id', userId).maybeSingle())
}

export function profileQuery(userId: string) {
  return queryOptions({ queryKey: ['profiles', userId], queryFn: () => fetchProfile(userId), staleTime: 5 * 60_000 })
}

async function updateProfile(change: ProfileChange): Promise<Profile> {
  const user = await currentUser()
  return unwrap(await supabase.from('profiles').update(change).eq('user_id', user.id).select('*').single())
}

/** Saves `change` to the caller's profile; the new row is in the cache before `onSuccess` of the call runs. */
export function useUpdateProfile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: updateProfile,
    onSuccess: (profile) => client.setQueryData(profileQuery(profile.user_id).queryKey, profile),
  })
}
