/** conversations: the list with its filters, the search over all that was said, what changes one, and what a turn remembered. */
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { type AgentChoice, chatKey, conversationKey, conversationsKey } from '@/data/chat'
import { inChunks } from '@/data/chunks'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Conversation = Omit<Tables<'conversations'>, 'user_id' | 'updated_at' | 'agent'> & { agent: AgentChoice }
/** What its owner may change. */
type ConversationChange = Partial<
  Pick<Conversation, 'title' | 'agent' | 'pinned_at' | 'archived_at' | 'uses_memory' | 'auto_approve'>
>
/** Which conversations the list shows; temporary ones are in none. */
export type ConversationFilter = 'tutte' | 'con_azioni' | 'archiviate'
/** Where the words of a search stand; `marks` are start and end of each in `snippet`, in turns. */
export type FoundConversation = {
  id: string
  title: string | null
  messageId: string | null
  snippet: string
  marks: number[]
  at: string
}

const COLUMNS =
  'id, title, agent, is_temporary, uses_memory, auto_approve, pinned_at, archived_at, last_message_at, created_at'
const PAGE_SIZE = 30
const PINNED_AT_MOST = 100
const FOUND_AT_MOST = 30
const FOUND_IN_PALETTE = 5

const listsKey = (userId: string) => [...conversationsKey(userId), 'list'] as const

function wanted(filter: ConversationFilter) {
  if (filter === 'con_azioni') {
    return supabase
      .from('conversations')
      .select(`${COLUMNS}, tool_calls!inner(id)`)
      .limit(1, { referencedTable: 'tool_calls' })
      .eq('is_temporary', false)
      .is('archived_at', null)
  }
  const rows = supabase.from('conversations').select(COLUMNS).eq('is_temporary', false)
  return filter === 'archiviate' ? rows.not('archived_at', 'is', null) : rows.is('archived_at', null)
}

// The agents are a closed list in the database, which its types do not tell.
const asConversations = (rows: { agent: string }[]) => rows as Conversation[]

async function fetchPage(filter: ConversationFilter, last: Conversation | null): Promise<Conversation[]> {
  await currentUser()
  const query = wanted(filter)
    .order('last_message_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(PAGE_SIZE)
  // What is pinned stands above the list; in the archive nothing does.
  const rows = filter === 'archiviate' ? query : query.is('pinned_at', null)
  if (!last) return asConversations(unwrap(await rows))
  const at = last.last_message_at
  // Said twice: the index begins where `lte` says, and `or` alone would read it from its beginning.
  return asConversations(
    unwrap(
      await rows
        .lte('last_message_at', at)
        .or(`last_message_at.lt."${at}",and(last_message_at.eq."${at}",id.lt.${last.id})`),
    ),
  )
}

/** The newest first, thirty at a time; without those that are pinned. */
export function conversationsQuery(userId: string, filter: ConversationFilter) {
  return infiniteQueryOptions({
    queryKey: [...listsKey(userId), filter],
    queryFn: ({ pageParam }) => fetchPage(filter, pageParam),
    initialPageParam: null as Conversation | null,
    getNextPageParam: (page: Conversation[]) => (page.length < PAGE_SIZE ? null : (page.at(-1) ?? null)),
    select: (data) => data.pages.flat(),
    refetchInterval: pollingInterval,
  })
}

/** Those that are pinned, the latest pin first. */
export function pinnedQuery(userId: string, filter: ConversationFilter) {
  return queryOptions({
    queryKey: [...conversationsKey(userId), 'pinned', filter],
    queryFn: async (): Promise<Conversation[]> => {
      await currentUser()
      const rows = wanted(filter).not('pinned_at', 'is', null).order('pinned_at', { ascending: false })
      return asConversations(unwrap(await rows.limit(PINNED_AT_MOST)))
    },
    enabled: filter !== 'archiviate',
    refetchInterval: pollingInterval,
  })
}

async function search(text: string, limit: number): Promise<FoundConversation[]> {
  const rows = unwrap(await supabase.rpc('search_conversations', { _query: text, _limit: limit }))
  return rows.map(({ conversation_id: id, message_id: messageId, title, snippet, marks, at }) => ({
    id,
    title,
    messageId,
    snippet,
    marks,
    at,
  }))
}

/** Where the words stand, best first; in the title too. */
export function conversationSearchQuery(userId: string, text: string) {
  return queryOptions({
    queryKey: [...conversationsKey(userId), 'search', text],
    queryFn: () => search(text, FOUND_AT_MOST),
  })
}

/** The best five, for the command palette. */
export function conversationPaletteQuery(userId: string, text: string) {
  return queryOptions({
    queryKey: [...conversationsKey(userId), 'palette', text],
    queryFn: () => search(text, FOUND_IN_PALETTE),
  })
}

/** One conversation; null when there is none of this id. */
export function conversationQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: conversationKey(userId, id),
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('conversations')
          .select(COLUMNS)
          .eq('id', id)
          .maybeSingle()
          .overrideTypes<Conversation, { merge: false }>(),
      )
    },
  })
}

function reload(client: QueryClient, userId: string, ids: readonly string[]): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({ queryKey: conversationsKey(userId) }),
    ...ids.map((id) => client.invalidateQueries({ queryKey: conversationKey(userId, id) })),
  ])
}

type Pages = InfiniteData<Conversation[]>

/** Shows what is new about a conversation wherever the cache has it; answers what was there before. */
function patch(client: QueryClient, userId: string, id: string, change: ConversationChange) {
  const before = client.getQueriesData({ queryKey: chatKey(userId) })
  const patched = (row: Conversation) => (row.id === id ? { ...row, ...change } : row)
  client.setQueriesData<Pages>(
    { queryKey: listsKey(userId) },
    (data) => data && { ...data, pages: data.pages.map((page) => page.map(patched)) },
  )
  client.setQueryData<Conversation | null>(conversationKey(userId, id), (row) => row && patched(row))
  return before
}

/** Changes a conversation at once on the screen; what the server refuses is taken back. */
export function useChangeConversation(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, ...change }: ConversationChange & { id: string }) =>
      unwrap(await supabase.from('conversations').update(change).eq('id', id)),
    onMutate: async ({ id, ...change }) => {
      await client.cancelQueries({ queryKey: conversationsKey(userId) })
      await client.cancelQueries({ queryKey: conversationKey(userId, id) })
      return patch(client, userId, id, change)
    },
    onError: (_error, _variables, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
    },
    onSettled: (_data, _error, { id }) => reload(client, userId, [id]),
  })
}

/** Deletes conversations for good, with all that was said in them. */
export function useDeleteConversations(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: readonly string[]) =>
      inChunks(ids, async (some) => {
        unwrap(await supabase.from('conversations').delete().in('id', some))
        return []
      }),
    onSettled: (_data, _error, ids) => reload(client, userId, ids),
  })
}

/** Which memories stood beside the questions of a conversation, by the id of the answer. */
export function memoryUsesQuery(userId: string, conversationId: string) {
  return queryOptions({
    queryKey: [...chatKey(userId), 'memory-uses', conversationId],
    queryFn: async (): Promise<Map<string, string[]>> => {
      const rows = unwrap(
        await supabase
          .from('memory_uses')
          .select('message_id, memory_id, message:messages!inner(conversation_id)')
          .eq('message.conversation_id', conversationId)
          .limit(1_000),
      )
      const uses = new Map<string, string[]>()
      for (const { message_id: messageId, memory_id: memoryId } of rows)
        uses.set(messageId, [...(uses.get(messageId) ?? []), memoryId])
      return uses
    },
  })
}
