/** credit_wallets: the caller's balance, and beside it what the bell shows, so that an open tab asks one question. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'

import { keepNewest, LIMIT, type Notification, notificationsQuery } from '@/data/notifications'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

async function fetchBalance(client: QueryClient): Promise<number> {
  const user = await currentUser()
  // When the app opens, both are asked for in the same moment.
  if (client.isFetching({ queryKey: notificationsQuery(user.id).queryKey, exact: true }) > 0) {
    return unwrap(await supabase.from('credit_wallets').select('balance').eq('user_id', user.id).single()).balance
  }
  const askedAt = Date.now()
  const { balance, notifications } = unwrap(
    await supabase
      .from('credit_wallets')
      .select('balance, notifications(*)')
      .eq('user_id', user.id)
      .order('created_at', { referencedTable: 'notifications', ascending: false })
      .limit(LIMIT, { referencedTable: 'notifications' })
      .single(),
  ) as unknown as { balance: number; notifications: Notification[] }
  keepNewest(client, user.id, notifications, askedAt)
  return balance
}

export function balanceQuery(userId: string) {
  return queryOptions({
    queryKey: ['credit_wallets', userId],
    queryFn: ({ client }) => fetchBalance(client),
    refetchInterval: pollingInterval,
  })
}
