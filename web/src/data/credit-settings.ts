/** credit_settings: when somebody wants to hear that credits run low, and how many work may use in a month. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { creditsKey } from '@/data/credits'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type CreditSettings = Pick<Tables<'credit_settings'>, 'low_threshold' | 'monthly_cap'>

const keyOf = (userId: string) => ['credit_settings', userId]

async function fetchSettings(): Promise<CreditSettings> {
  const user = await currentUser()
  return unwrap(
    await supabase.from('credit_settings').select('low_threshold, monthly_cap').eq('user_id', user.id).single(),
  )
}

export function creditSettingsQuery(userId: string) {
  return queryOptions({ queryKey: keyOf(userId), queryFn: fetchSettings, staleTime: 60_000 })
}

export function useUpdateCreditSettings(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (change: CreditSettings) =>
      unwrap(
        await supabase
          .from('credit_settings')
          .update(change)
          .eq('user_id', userId)
          .select('low_threshold, monthly_cap')
          .single(),
      ),
    onSuccess: (row) => {
      client.setQueryData(keyOf(userId), row)
      // The figures name the cap.
      void client.invalidateQueries({ queryKey: creditsKey(userId) })
    },
  })
}
