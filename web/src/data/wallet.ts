/** credit_wallets: the caller's balance. */
import { queryOptions } from '@tanstack/react-query'

import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

async function fetchBalance(): Promise<number> {
  const user = await currentUser()
  const { balance } = unwrap(await supabase.from('credit_wallets').select('balance').eq('user_id', user.id).single())
  return balance
}

export function balanceQuery(userId: string) {
  return queryOptions({
    queryKey: ['credit_wallets', userId],
    queryFn: fetchBalance,
    refetchInterval: pollingInterval,
  })
}
