/** Pairs of contacts that may be one: told apart for good, or merged, which can be undone for thirty days. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

const KEY = 'duplicates'
const MOST_PAIRS = 40
const MOST_MERGES = 50
const UNDO_DAYS = 30

const COLUMNS = '*, emails:contact_emails(value), phones:contact_phones(value), contact_tags(tags(name))'

async function fetchContacts(ids: string[]) {
  const [rows, listed] = await Promise.all([
    supabase.from('contacts').select(COLUMNS).in('id', ids),
    // PostgREST cannot follow a key of two columns to the same table; the view has done it.
    supabase.from('contact_list').select('id, company_name').in('id', ids).not('company_name', 'is', null),
  ])
  const companies = new Map(unwrap(listed).map(({ id, company_name }) => [id, company_name]))
  return unwrap(rows).map((row) => Object.assign(row, { company_name: companies.get(row.id) ?? null }))
}

export type ComparedContact = Awaited<ReturnType<typeof fetchContacts>>[number]

/** The older contact is the first: others know it longer, so it is the one that stays. */
export type Two = { first: ComparedContact; second: ComparedContact }
export type Pair = Two & { score: number; reasons: string[] }

/** The oldest first. */
export const byAge = (one: ComparedContact, other: ComparedContact): number =>
  one.created_at.localeCompare(other.created_at) || one.id.localeCompare(other.id)

async function fetchPairs(): Promise<Pair[]> {
  await currentUser()
  const rows = unwrap(await supabase.rpc('find_duplicates', { _limit: MOST_PAIRS }))
  if (rows.length === 0) return []
  const contacts = await fetchContacts([...new Set(rows.flatMap(({ a_id, b_id }) => [a_id, b_id]))])
  return rows.flatMap(({ a_id, b_id, score, reasons }) => {
    const [first, second] = contacts.filter(({ id }) => id === a_id || id === b_id).toSorted(byAge)
    return first && second ? [{ first, second, score, reasons }] : []
  })
}

/** These two as a pair; null when one of them is not there any more. */
export function twoQuery(userId: string, ids: string[]) {
  return queryOptions({
    queryKey: [KEY, userId, 'two', ids],
    queryFn: async (): Promise<Two | null> => {
      await currentUser()
      const [first, second] = (await fetchContacts(ids)).toSorted(byAge)
      return first && second ? { first, second } : null
    },
  })
}

/** The surest first. */
export function pairsQuery(userId: string) {
  return queryOptions({ queryKey: [KEY, userId, 'pairs'], queryFn: fetchPairs })
}

type Merge = Pick<Tables<'merge_log'>, 'id' | 'loser_name' | 'created_at'> & {
  winner: { id: string; name: string | null } | null
}

async function fetchMerges(): Promise<Merge[]> {
  await currentUser()
  return unwrap(
    await supabase
      .from('merge_log')
      .select('id, loser_name, created_at, winner:contacts!merge_log_user_id_winner_id_fkey(id, name)')
      .is('undone_at', null)
      .not('loser_id', 'is', null)
      .gte('created_at', new Date(Date.now() - UNDO_DAYS * 86_400_000).toISOString())
      .order('created_at', { ascending: false })
      .limit(MOST_MERGES),
  )
}

/** Those that can still be undone, the newest first. */
export function mergesQuery(userId: string) {
  return queryOptions({ queryKey: [KEY, userId, 'merges'], queryFn: fetchMerges })
}

function refresh(client: QueryClient): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({ queryKey: [KEY] }),
    client.invalidateQueries({ queryKey: contactsKey }),
  ])
}

function useCall<V, R>(run: (variables: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => refresh(client) })
}

/** Whose value stays, by column. */
export type Choices = Record<string, 'winner' | 'loser'>

const merge = async ({ first, second }: Two, choices: Choices): Promise<string> =>
  unwrap(await supabase.rpc('merge_contacts', { _winner: first.id, _loser: second.id, _choices: choices }))

/** Answers the id of the merge, to undo it. */
export function useMergeContacts() {
  return useCall(({ pair, choices }: { pair: Two; choices: Choices }) => merge(pair, choices))
}

/** What was done of several calls, and the failure of the last that was refused. */
type Outcome = { done: string[]; failure: unknown }

/** One after the other, since one may need the one before; what is refused does not stop the rest. */
async function inTurn<T>(all: readonly T[], call: (one: T) => Promise<string>): Promise<Outcome> {
  const done: string[] = []
  let failure: unknown = null
  for (const one of all) {
    try {
      // oxlint-disable-next-line no-await-in-loop
      done.push(await call(one))
    } catch (error) {
      failure = error
    }
  }
  return { done, failure }
}

/** Merges them with the first's values, and the second's where the first has none; answers the merges. */
export function useMergeMany() {
  return useCall((all: readonly Two[]) => inTurn(all, (two) => merge(two, {})))
}

/** The last merge is undone first, for it may stand on those before it. */
export function useUndoMerges() {
  return useCall((mergeIds: readonly string[]) =>
    inTurn(mergeIds.toReversed(), async (id) => {
      unwrap(await supabase.rpc('undo_merge', { _merge_id: id }))
      return id
    }),
  )
}

/** One spelling for each pair: the smaller id first. */
function spelled({ first, second }: Pair) {
  const [a_id, b_id] = first.id < second.id ? [first.id, second.id] : [second.id, first.id]
  return { a_id, b_id }
}

/** «Non sono la stessa persona», for good; `isDistinct: false` takes it back. */
export function useTellApart() {
  return useCall(async ({ pair, isDistinct }: { pair: Pair; isDistinct: boolean }) => {
    const table = supabase.from('contact_distinct')
    unwrap(await (isDistinct ? table.insert(spelled(pair)) : table.delete().match(spelled(pair))))
  })
}
