/** messages: what was asked and answered in a conversation, as a tree; and what people think of the answers. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

/** Who answers; «automatico» lets Socio choose. */
export type AgentId = 'logico' | 'creativo' | 'strategico' | 'etico' | 'esecutore' | 'consiglio'
export type AgentChoice = 'automatico' | AgentId
/** Without a model of somebody else's, or with one. */
export type ChatMode = 'locale' | 'ia'

export type RefKind =
  | 'contact'
  | 'deal'
  | 'task'
  | 'project'
  | 'document'
  | 'invoice'
  | 'memory'
  | 'note'
  | 'draft'
  | 'credits'
  | 'mail'
  | 'whatsapp'
  | 'goal'

/** Where in a document: its page, its words from `word_from` to `word_to`, and what is written there. */
type RefPlace = { page: number; word_from: number; word_to: number; quote: string }

/** A record that an answer cites as `[^n]`. */
export type ChatRef = { n: number; kind: RefKind; id: string; label: string; place: RefPlace | null }

/** A record that a person points at by clicking a suggestion. */
export type PickedRef = Pick<ChatRef, 'kind' | 'id' | 'label'>
/** An answer that may be clicked: it sends `text`. */
export type Suggestion = { label: string; text: string; ref: PickedRef | null }
/** What one agent said before «Consiglio» brought it together. */
export type View = { agent: AgentId; content: string; status: 'streaming' | 'done' | 'error' }

type MessageStatus = 'queued' | 'streaming' | 'done' | 'stopped' | 'error'

export type Message = {
  id: string
  conversation_id: string
  parent_id: string | null
  role: 'user' | 'assistant'
  agent: AgentChoice | null
  content: string
  status: MessageStatus
  mode: ChatMode | null
  model: string | null
  refs: ChatRef[]
  /** Pieces [start, end) of `content`, in UTF-16 units, with figures that no record backs. */
  unverified: [number, number][]
  suggestions: Suggestion[]
  views: View[]
  /** Ids of documents. */
  attachments: string[]
  /** In credits: at most, and really. */
  quote: number | null
  cost: number | null
  error_code: string | null
  created_at: string
  finished_at: string | null
}

/** Everything of conversations. */
export const chatKey = (userId: string) => ['chat', userId] as const
/** Lists and searches of conversations go below it. */
export const conversationsKey = (userId: string) => [...chatKey(userId), 'conversations'] as const
export const conversationKey = (userId: string, id: string) => [...chatKey(userId), 'conversation', id] as const
/** Message[] of a conversation, the oldest first. */
export const messagesKey = (userId: string, conversationId: string) =>
  [...chatKey(userId), 'messages', conversationId] as const
/** ToolCall[] of a conversation, in the order of `seq`. */
export const toolCallsKey = (userId: string, conversationId: string) =>
  [...chatKey(userId), 'tool-calls', conversationId] as const

const COLUMNS =
  'id, conversation_id, parent_id, role, agent, content, status, mode, model, refs, unverified, suggestions, views, ' +
  'attachments, quote, cost, error_code, created_at, finished_at'
/** The newest of them; more than anybody writes in one conversation. */
const AT_MOST = 1_000
/** How often an answer that we cannot hear is asked for. */
const UNHEARD_POLL_MS = 3_000

export const isUnderWay = ({ status }: Pick<Message, 'status'>): boolean =>
  status === 'queued' || status === 'streaming'

async function fetchMessages(conversationId: string): Promise<Message[]> {
  await currentUser()
  const newest = unwrap(
    await supabase
      .from('messages')
      .select(COLUMNS)
      .eq('conversation_id', conversationId)
      .order('created_at', { ascending: false })
      .order('role')
      .limit(AT_MOST)
      .overrideTypes<Message[], { merge: false }>(),
  )
  return newest.toReversed()
}

/** The oldest first; a question stands before its answer. */
export function messagesQuery(userId: string, conversationId: string) {
  return queryOptions({
    queryKey: messagesKey(userId, conversationId),
    queryFn: () => fetchMessages(conversationId),
    refetchInterval: (query) => (query.state.data?.some(isUnderWay) ? UNHEARD_POLL_MS : pollingInterval(query)),
  })
}

/** Puts rows in the place of those with their ids, or at the end. */
export function putMessages(client: QueryClient, userId: string, conversationId: string, rows: Message[]): void {
  const known = new Set(rows.map(({ id }) => id))
  client.setQueryData<Message[]>(messagesKey(userId, conversationId), (before = []) => {
    const there = new Set(before.map(({ id }) => id))
    const newest = new Map(rows.map((row) => [row.id, row]))
    return [
      ...before.map((row) => (known.has(row.id) ? (newest.get(row.id) ?? row) : row)),
      ...rows.filter(({ id }) => !there.has(id)),
    ]
  })
}

export type Score = -1 | 1
type Scores = Partial<Record<string, Score>>

/** What the person thinks of the answers of a conversation, by message. */
export function scoresQuery(userId: string, conversationId: string) {
  return queryOptions({
    queryKey: [...messagesKey(userId, conversationId), 'scores'],
    queryFn: async (): Promise<Scores> => {
      await currentUser()
      const rows = unwrap(
        await supabase
          .from('message_feedback')
          .select('message_id, score, message:messages!inner(conversation_id)')
          .eq('message.conversation_id', conversationId),
      )
      return Object.fromEntries(rows.map(({ message_id: id, score }) => [id, score as Score]))
    },
  })
}

/** What a person says about an answer: their score, null to take it back, and why, if they want to say it. */
export type Opinion = { messageId: string; score: Score | null; reason?: string }

/** How long a reason may be. */
export const REASON_LENGTH = 500

/** Gives a score, or takes it back; what the server refuses is taken back on the screen. */
export function useScore(userId: string, conversationId: string, onError: () => void) {
  const client = useQueryClient()
  const { queryKey } = scoresQuery(userId, conversationId)
  return useMutation({
    mutationFn: async ({ messageId, score, reason }: Opinion) => {
      const feedback = supabase.from('message_feedback')
      unwrap(
        score === null
          ? await feedback.delete().eq('message_id', messageId)
          : await feedback.upsert(
              // Who thinks again has another reason, or none.
              { user_id: userId, message_id: messageId, score, reason: reason?.slice(0, REASON_LENGTH) ?? null },
              { onConflict: 'user_id,message_id' },
            ),
      )
    },
    onMutate: async ({ messageId, score }) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (scores = {}) => ({ ...scores, [messageId]: score ?? undefined }))
      return before
    },
    onError: (_error, _variables, before) => {
      client.setQueryData(queryKey, before)
      onError()
    },
  })
}

/** The names of the documents that were attached, by id; one that was deleted has none. */
export function attachmentsQuery(userId: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: [...chatKey(userId), 'attachments', ids],
    queryFn: async (): Promise<Record<string, string>> => {
      await currentUser()
      const rows = unwrap(await supabase.from('documents').select('id, filename').in('id', ids.slice(0, 100)))
      return Object.fromEntries(rows.map(({ id, filename }) => [id, filename]))
    },
    enabled: ids.length > 0,
    staleTime: Infinity,
  })
}
