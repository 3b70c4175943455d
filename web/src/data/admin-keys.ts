/** How old the keys and secrets of the installation are, for admins. */
import { queryOptions } from '@tanstack/react-query'

import type { Light } from '@/data/admin'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Functions']['admin_keys']['Returns'][number]
/** Without a due date a key is replaced only when others know it. */
export type KeyAge = Omit<Row, 'light' | 'due_at'> & { light: Light; due_at: string | null }

export function keysQuery() {
  return queryOptions({
    queryKey: ['admin', 'keys'],
    queryFn: async () => unwrap(await supabase.rpc('admin_keys')) as unknown as KeyAge[],
  })
}
