/** The sample year of an imaginary freelancer: added to an empty workspace, and taken out again, in one click. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

/** Whether some of the contacts are samples. */
export function hasDemoDataQuery(userId: string) {
  return queryOptions({
    queryKey: ['demo-data', userId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.from('contact_list').select('id').eq('origin', 'demo').limit(1)).length > 0
    },
    // A click here changes the answer, and that asks again; that the last sample was written into may wait.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** @param isWanted whether the samples come or go; what was made or changed by hand stays in either case. */
export function useDemoData(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (isWanted: boolean) => {
      unwrap(await supabase.rpc(isWanted ? 'add_demo_data' : 'remove_demo_data'))
    },
    onError,
    // Samples are in every screen of the workspace.
    onSettled: () => client.invalidateQueries(),
  })
}
