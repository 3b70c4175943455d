/** Role checks through the database function has_role. */
import { queryOptions } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Role = Enums<'app_role'>

/** False for a missing role and after a failed check, which is only logged (GUARD-05). */
async function hasRole(userId: string, role: Role): Promise<boolean> {
  try {
    return unwrap(await supabase.rpc('has_role', { _user_id: userId, _role: role }))
  } catch (error) {
    console.warn('Role check failed', error)
    return false
  }
}

export function roleQuery(userId: string, role: Role) {
  return queryOptions({ queryKey: ['roles', userId, role], queryFn: () => hasRole(userId, role), staleTime: 60_000 })
}
