/**
 * The deals of the caller and the stages they pass. The board is one list in the cache: what is open, and what was won or
 * lost within a year.
 */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { insertOnce, pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables, TablesUpdate } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Named = { id: string; name: string | null }

export type Stage = Tables<'stages'>
export type Deal = Tables<'deals'> & { contact: Named | null; /** How many tasks for it are open. */ taskCount: number }
/** What a person decides about a deal. */
export type DealFields = Pick<
  Deal,
  'title' | 'contact_id' | 'amount_cents' | 'probability' | 'expected_close' | 'stage_id' | 'lost_reason'
>

const KEY = 'deals'
export const dealsKey = (userId: string) => [KEY, userId] as const
const boardKey = (userId: string) => [...dealsKey(userId), 'board'] as const

/** For more at once Postgres, which does not know whose rows are many, reads all of a person's deals and contacts. */
const PAGE_SIZE = 250
const CLOSED_DAYS = 365

async function fetchStages(): Promise<Stage[]> {
  await currentUser()
  return unwrap(await supabase.rpc('ensure_stages'))
}

/** In the order of the board. */
export function stagesQuery(userId: string) {
  return queryOptions({ queryKey: [...dealsKey(userId), 'stages'], queryFn: fetchStages, staleTime: 5 * 60_000 })
}

async function fetchBoard(): Promise<Deal[]> {
  await currentUser()
  const since = new Date(Date.now() - CLOSED_DAYS * 86_400_000).toISOString()
  const rows: Deal[] = []
  for (;;) {
    const last = rows.at(-1)
    const query = supabase
      .from('deals')
      .select('*, contact:contacts!deals_user_id_contact_id_fkey(id, name), tasks(count)')
      .is('deleted_at', null)
      .neq('tasks.state', 'fatto')
      .is('tasks.deleted_at', null)
      .or(`won_at.is.null,won_at.gte.${since}`)
      .or(`lost_at.is.null,lost_at.gte.${since}`)
      .order('id')
      .limit(PAGE_SIZE)
    // Each page starts where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const page = unwrap(await (last ? query.gt('id', last.id) : query))
    rows.push(...page.map(({ tasks, ...deal }) => Object.assign(deal, { taskCount: tasks[0]?.count ?? 0 })))
    if (page.length < PAGE_SIZE) return rows
  }
}

/** In no particular order. */
export function boardQuery(userId: string) {
  return queryOptions({ queryKey: boardKey(userId), queryFn: fetchBoard, refetchInterval: pollingInterval })
}

async function fetchHabits(): Promise<Map<string, number>> {
  await currentUser()
  const rows = unwrap(await supabase.rpc('stage_habits'))
  return new Map(rows.map(({ stage_id, usual_days }) => [stage_id, usual_days]))
}

/** After how many days in a stage a deal is late, by the id of the stage. */
export function habitsQuery(userId: string) {
  return queryOptions({ queryKey: [...dealsKey(userId), 'habits'], queryFn: fetchHabits, staleTime: 5 * 60_000 })
}

type Change = {
  id: string
  change: TablesUpdate<'deals'>
  /** What the screen shows meanwhile. */ shows?: Partial<Deal>
}

/** Changes a deal at once on the screen; what the server refuses, or never hears of, is taken back. */
export function useChangeDeal(userId: string) {
  const client = useQueryClient()
  const key = boardKey(userId)
  return useMutation({
    mutationKey: [KEY],
    // One after the other: «Annulla» never overtakes the move that it takes back.
    scope: { id: KEY },
    mutationFn: async ({ id, change }: Change) => unwrap(await supabase.from('deals').update(change).eq('id', id)),
    onMutate: async ({ id, change, shows }) => {
      await client.cancelQueries({ queryKey: key })
      const before = client.getQueryData<Deal[]>(key)
      client.setQueryData<Deal[]>(key, (rows) =>
        change.deleted_at
          ? rows?.filter((deal) => deal.id !== id)
          : rows?.map((deal) => (deal.id === id ? { ...deal, ...change, ...shows } : deal)),
      )
      return before
    },
    onError: (_error, _variables, before) => client.setQueryData(key, before),
    // While another change is under way its answer would show the state before that change.
    onSettled: () =>
      client.isMutating({ mutationKey: [KEY] }) === 1
        ? client.invalidateQueries({ queryKey: dealsKey(userId) })
        : undefined,
  })
}

/** Adds a deal under an id of the caller's: a second attempt makes no second deal. */
export function useAddDeal(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...deal }: DealFields & { id: string; position: string }) =>
      insertOnce(
        () => supabase.from('deals').insert({ id, ...deal }),
        () => supabase.from('deals').update(deal).eq('id', id),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: dealsKey(userId) }),
  })
}
