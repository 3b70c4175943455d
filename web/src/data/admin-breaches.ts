/** The register of breaches of personal data (art. 33 GDPR), for admins. */
import { queryOptions } from '@tanstack/react-query'

import { useAction } from '@/data/admin'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type BreachRisk = 'none' | 'risk' | 'high'
type Row = Database['public']['Functions']['admin_breaches']['Returns'][number]
/** Moments are ISO texts; those of who was told may be null. */
export type Breach = Omit<Row, 'risk' | 'authority_told_at' | 'people_told_at'> & {
  risk: BreachRisk
  authority_told_at: string | null
  people_told_at: string | null
}

export function breachesQuery() {
  return queryOptions({
    queryKey: ['admin', 'breaches'],
    queryFn: async () => unwrap(await supabase.rpc('admin_breaches')) as unknown as Breach[],
  })
}

export type WrittenBreach = Pick<
  Breach,
  | 'found_at'
  | 'title'
  | 'facts'
  | 'people'
  | 'risk'
  | 'measures'
  | 'reason_not'
  | 'authority_told_at'
  | 'people_told_at'
> & { id?: number }

/** Writes a breach, a new one without an id; the log of actions keeps every version. */
export function useWriteBreach() {
  return useAction(async (breach: WrittenBreach) =>
    unwrap(
      await supabase.rpc('admin_write_breach', {
        _found_at: breach.found_at,
        _title: breach.title,
        _facts: breach.facts,
        _people: breach.people,
        _risk: breach.risk,
        _measures: breach.measures,
        _reason_not: breach.reason_not,
        ...(breach.authority_told_at !== null && { _authority_told_at: breach.authority_told_at }),
        ...(breach.people_told_at !== null && { _people_told_at: breach.people_told_at }),
        ...(breach.id !== undefined && { _id: breach.id }),
      }),
    ),
  )
}
