/** The account as the auth service knows it now; the stored session may be older. */
import { queryOptions } from '@tanstack/react-query'

import { accepted } from '@/data/gotrue'
import { supabase } from '@/lib/supabase'

type Account = { email: string; newEmail: string | null }

async function fetchAccount(): Promise<Account> {
  const { user } = accepted(await supabase.auth.getUser())
  return { email: user.email ?? '', newEmail: user.new_email ?? null }
}

/** Asked again whenever the person comes back to this tab, from their mail for instance. */
export function accountQuery(userId: string) {
  return queryOptions({ queryKey: ['account', userId], queryFn: fetchAccount, staleTime: 0 })
}
