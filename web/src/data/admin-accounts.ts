/** Accounts as admins see them, newest first, and what they may do about one. */
import { infiniteQueryOptions } from '@tanstack/react-query'

import { useAction } from '@/data/admin'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type Account = {
  id: string
  email: string | null
  name: string | null
  created_at: string
  last_seen_at: string | null
  is_admin: boolean
  is_verified: boolean
  has_factor: boolean
  credits: number
  is_suspended: boolean
  is_deleting: boolean
}
type Page = { rows: Account[]; next: Account | null }

// The function returns one more, which says that there is a next page.
const PAGE = 25

export function accountsQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'accounts', search],
    queryFn: async ({ pageParam: last }): Promise<Page> => {
      const rows: Account[] = unwrap(
        await supabase.rpc('admin_accounts', {
          _search: search,
          ...(last && { _before: last.created_at, _before_id: last.id }),
        }),
      )
      return { rows: rows.slice(0, PAGE), next: rows.length > PAGE ? (rows[PAGE - 1] ?? null) : null }
    },
    initialPageParam: null as Account | null,
    getNextPageParam: ({ next }) => next,
  })
}

type Deed = { id: string; reason: string }

/** Ends the sessions of an account and lets nothing leave it, or lets its owner in again. */
export function useSuspendAccount() {
  return useAction(async ({ id, reason, isSuspended }: Deed & { isSuspended: boolean }) =>
    unwrap(await supabase.rpc('admin_suspend_account', { _user_id: id, _is_suspended: isSuspended, _reason: reason })),
  )
}

export function useSetAdmin() {
  return useAction(async ({ id, reason, isAdmin }: Deed & { isAdmin: boolean }) =>
    unwrap(await supabase.rpc('admin_set_admin', { _user_id: id, _is_admin: isAdmin, _reason: reason })),
  )
}

/** Gives credits once for each key: a second click gives no more. */
export function useGrantCredits() {
  return useAction(async ({ id, reason, amount, key }: Deed & { amount: number; key: string }) =>
    unwrap(await supabase.rpc('admin_grant_credits', { _user_id: id, _amount: amount, _key: key, _reason: reason })),
  )
}
