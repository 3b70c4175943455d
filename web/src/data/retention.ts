/** retention_register: how long each kind of data is kept, and when what was too old was last erased. */
import { queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Functions']['retention_register']['Returns'][number]

/** A rule; what a rule without an interval has not is null. */
export type RetentionRule = Pick<Row, 'rule' | 'title' | 'period' | 'reason'> & {
  [Key in 'every_minutes' | 'last_run_at' | 'last_is_ok' | 'last_erased' | 'erased_30_days' | 'waiting']:
    | Row[Key]
    | null
}

/** The rules about the person's data; all rules for an admin with a second factor. */
export function retentionQuery(userId: string) {
  return queryOptions({
    queryKey: ['retention', userId],
    queryFn: async (): Promise<RetentionRule[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('retention_register'))
    },
  })
}
