/** The estimate for the regime forfettario: what a person chose, and what would be to set aside. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { FlatRateChoices, SetAside } from '@/data/home'
import { homeKey } from '@/data/home-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { tasksKey } from '@/data/tasks'
import { supabase } from '@/lib/supabase'

/** Keeps the choices; the home is reckoned again. */
export function useSaveFlatRateChoices(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (choices: FlatRateChoices) => {
      await currentUser()
      unwrap(await supabase.from('flat_rate_choices').upsert(choices, { onConflict: 'user_id' }))
    },
    onSuccess: () => client.invalidateQueries({ queryKey: homeKey(userId) }),
  })
}

/** Makes tasks of the next days to pay; answers how many there were not yet. */
export function useAddTaxDeadlines(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('add_tax_deadlines'))
    },
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: tasksKey(userId) }),
        client.invalidateQueries({ queryKey: homeKey(userId) }),
      ]),
  })
}

/** What would be to set aside of such takings in the year. */
export function setAsideQuery(userId: string, cashCents: number) {
  return queryOptions({
    queryKey: [...homeKey(userId), 'flat-rate', cashCents],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('flat_rate_if', { _cash_cents: cashCents })) as unknown as SetAside | null
    },
  })
}
