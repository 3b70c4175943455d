/** What an owner reads of their credits: figures, lots, and the statement line by line. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Answer<T extends keyof Database['public']['Functions']> =
  Database['public']['Functions'][T]['Returns'] extends (infer Row)[] ? Row : never

/** The columns `Nulls` of `Row` may be empty: the generated types do not know it of functions. */
type Nullable<Row, Nulls extends keyof Row> = Omit<Row, Nulls> & { [Key in Nulls]: Row[Key] | null }

export type Overview = Nullable<
  Answer<'credit_overview'>,
  'next_expiry_at' | 'next_expiry_credits' | 'next_expiry_extends' | 'monthly_cap'
>
export type Entry = Nullable<
  Answer<'credit_statement'>,
  'ref_type' | 'ref_id' | 'reason' | 'lot_expires_at' | 'order_id'
>
export type Lot = Tables<'credit_lots'>

const PAGE_SIZE = 25
const EXPORT_PAGE_SIZE = 1000

/** Everything that a movement of credits changes. */
export const creditsKey = (userId: string) => ['credits', userId] as const

export function overviewQuery(userId: string) {
  return queryOptions({
    queryKey: [...creditsKey(userId), 'overview'],
    queryFn: async (): Promise<Overview> => {
      await currentUser()
      return unwrap(await supabase.rpc('credit_overview').single())
    },
    refetchInterval: pollingInterval,
  })
}

/** Lots that still hold something, those to be used first at the top (the order in which the ledger draws). */
export function lotsQuery(userId: string) {
  return queryOptions({
    queryKey: [...creditsKey(userId), 'lots'],
    queryFn: async (): Promise<Lot[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('credit_lots')
          .select()
          .or('remaining.gt.0,held.gt.0')
          .order('expires_at', { ascending: true, nullsFirst: false })
          .order('paid_cents')
          .order('created_at')
          .limit(100),
      )
    },
  })
}

/** At most `limit` entries that are older than `before`, newest first. */
async function fetchEntries(before: number | null, limit: number): Promise<Entry[]> {
  await currentUser()
  return unwrap(await supabase.rpc('credit_statement', { ...(before !== null && { _before: before }), _limit: limit }))
}

/** The statement, newest first, page by page. */
export function statementQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: [...creditsKey(userId), 'statement'],
    queryFn: ({ pageParam }) => fetchEntries(pageParam, PAGE_SIZE),
    initialPageParam: null as number | null,
    getNextPageParam: (last: Entry[]) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.id),
    select: (data) => data.pages.flat(),
  })
}

/** The whole statement, oldest first, for a file. */
export async function fetchWholeStatement(): Promise<Entry[]> {
  const entries: Entry[] = []
  let page: Entry[]
  do {
    // Each page begins where the last one ended.
    // oxlint-disable-next-line no-await-in-loop
    page = await fetchEntries(entries.at(-1)?.id ?? null, EXPORT_PAGE_SIZE)
    entries.push(...page)
  } while (page.length === EXPORT_PAGE_SIZE)
  return entries.toReversed()
}
