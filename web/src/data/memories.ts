/**
 * memories: what Socio knows of the caller, with where each fact came from. They are few (8,000 characters count at most),
 * so all are read at once.
 */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import { DataError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

export type Memory = Omit<Tables<'memories'>, 'stems' | 'words' | 'user_id'> & {
  contact: { id: string; name: string | null } | null
}
export type MemoryKind = Enums<'memory_kind'>
export type MemorySettings = Pick<Tables<'memory_settings'>, 'is_active' | 'in_new_chats'>

/** What counts for conversations, in characters (db/schemas/33_memories.sql). */
export const MEMORY_CAPACITY = 8_000
/** The shortest and the longest fact, in characters. */
export const SHORTEST = 12
export const LONGEST = 240
const MOST = 1_000
const KEY = 'memories'
/** Under this key lies everything the cache knows about the memory. */
export const memoriesKey = (userId: string) => [KEY, userId] as const
const COLUMNS =
  'id, kind, contact_id, topic, body, state, importance, origin, source, source_id, source_quote, superseded_by, uses, ' +
  'last_used_at, expires_at, created_at, updated_at, contact:contacts!memories_user_id_contact_id_fkey(id, name)'

async function fetchMemories(): Promise<Memory[]> {
  await currentUser()
  return unwrap(
    await supabase
      .from('memories')
      .select(COLUMNS)
      .order('updated_at', { ascending: false })
      .order('id')
      .limit(MOST)
      .overrideTypes<Memory[], { merge: false }>(),
  )
}

/** Newest first. */
export function memoriesQuery(userId: string) {
  return queryOptions({ queryKey: memoriesKey(userId), queryFn: fetchMemories, refetchInterval: pollingInterval })
}

async function fetchSettings(): Promise<MemorySettings> {
  await currentUser()
  const row = unwrap(await supabase.from('memory_settings').select('is_active, in_new_chats').maybeSingle())
  return row ?? { is_active: true, in_new_chats: true }
}

/** Whether Socio remembers at all, and in new conversations. */
export function memorySettingsQuery(userId: string) {
  return queryOptions({ queryKey: [...memoriesKey(userId), 'settings'], queryFn: fetchSettings })
}

/** Changes a setting at once on the screen; what the server refuses is taken back. */
export function useChangeMemorySettings(userId: string, onError: () => void) {
  const client = useQueryClient()
  const { queryKey } = memorySettingsQuery(userId)
  return useMutation({
    mutationFn: async (settings: MemorySettings) =>
      unwrap(await supabase.from('memory_settings').upsert({ user_id: userId, ...settings })),
    onMutate: async (settings) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, settings)
      return before
    },
    onError: (_error, _settings, before) => {
      client.setQueryData(queryKey, before)
      onError()
    },
  })
}

/** What holds on the same topic of the same person. */
export function contradicted(proposal: Memory, memories: readonly Memory[]): Memory | undefined {
  const topic = proposal.topic?.toLowerCase()
  return memories.find(
    (one) =>
      one.state === 'attiva' && topic && one.topic?.toLowerCase() === topic && one.contact_id === proposal.contact_id,
  )
}

/** Why the server did not write a fact down. */
export type Refusal =
  | { reason: 'forbidden'; what: string }
  | { reason: 'similar'; id: string }
  | { reason: 'full' }
  | { reason: 'unknown' }

/** What an error of `useRemember` or `useKeepMemory` means. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof DataError)) return { reason: 'unknown' }
  if (error.code === 'SM001') return { reason: 'forbidden', what: error.message }
  if (error.code === 'SM002') return { reason: 'similar', id: error.details }
  return { reason: error.code === 'SM003' ? 'full' : 'unknown' }
}

export type NewMemory = {
  body: string
  kind: MemoryKind
  contactId?: string | undefined
  /** The one that it takes the place of. */
  replaces?: string
  /** Although there is one nearly like it. */
  anyway?: boolean
}

function useChange<T>(userId: string, change: (variables: T) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: memoriesQuery(userId).queryKey, exact: true }),
  })
}

/** Writes down what the person said to remember. @throws DataError, see refusalOf */
export function useRemember(userId: string) {
  return useChange(userId, async ({ body, kind, contactId, replaces, anyway }: NewMemory) =>
    unwrap(
      await supabase.rpc('remember', {
        _body: body,
        _kind: kind,
        ...(contactId && { _contact_id: contactId }),
        ...(replaces && { _replaces: replaces }),
        ...(anyway && { _anyway: anyway }),
      }),
    ),
  )
}

/** Makes a proposal, a paused or a corrected one count. @throws DataError, see refusalOf */
export function useKeepMemory(userId: string) {
  return useChange(userId, async ({ id, body }: { id: string; body?: string }) =>
    unwrap(await supabase.rpc('keep_memory', { _id: id, ...(body && { _body: body }) })),
  )
}

export function usePauseMemory(userId: string) {
  return useChange(userId, async (id: string) => unwrap(await supabase.rpc('pause_memory', { _id: id })))
}

/** Erases for good: some, all about a contact, or everything. Answers how many. */
export type Forgetting = { ids: string[] } | { contactId: string } | { everything: true }

export function useForget(userId: string) {
  return useChange(userId, async (what: Forgetting) =>
    unwrap(
      await supabase.rpc(
        'forget',
        'ids' in what
          ? { _ids: what.ids }
          : 'contactId' in what
            ? { _contact_id: what.contactId }
            : { _everything: true },
      ),
    ),
  )
}
