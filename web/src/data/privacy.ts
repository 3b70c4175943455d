/** What the person may ask about their own data, and who of Socio touched their account. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { profileQuery } from '@/data/profiles'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const SHOWN = 50

/** Limits the processing of the person's data (GDPR, art. 18), or ends that; the profile row says since when. */
export function useLimitProcessing(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (isLimited: boolean) => {
      await currentUser()
      unwrap(await supabase.rpc('limit_processing', { _is_limited: isLimited }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: profileQuery(userId).queryKey }),
  })
}

export type AdminAction = { id: number; action: string; reason: string; created_at: string }

/** The newest things that admins did about this account. */
export function adminActionsQuery(userId: string) {
  return queryOptions({
    queryKey: ['admin_actions', userId],
    queryFn: async (): Promise<AdminAction[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('admin_actions')
          .select('id, action, reason, created_at')
          .eq('subject_id', userId)
          .order('created_at', { ascending: false })
          .limit(SHOWN),
      )
    },
  })
}
