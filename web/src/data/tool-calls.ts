/** tool_calls: what the assistant proposes to do, what the person decided, and what came of it. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { conversationKey, type PickedRef, toolCallsKey } from '@/data/chat'
import { invoke } from '@/data/functions'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { FunctionError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

type Row = Tables<'tool_calls'>

/** What the card shows before anything happens: the lines are exactly what will be written or sent. */
export type Preview = {
  title: string
  lines?: { label: string; value: string }[]
  body?: string | null
  /** Pieces [start, end) of `body` with a price or a date that stands in no data. */
  highlights?: [number, number][] | null
  /** How it stands now, where something is changed. */
  before?: string | null
}

export type ToolCall = Omit<Row, 'args' | 'preview' | 'rules' | 'result'> & {
  args: Record<string, unknown>
  preview: Preview
  /** The rules of the supervisor that asked for a word. */
  rules: { id: string; reason: string }[]
  result: { ref?: PickedRef | null; text?: string | null } | null
}

/** What a person decides about a proposal. */
export type Decision = {
  call: ToolCall
  decision: 'approve' | 'refuse' | 'undo'
  /** The proposal as they corrected it. */
  args?: Record<string, unknown>
  /** How many rows they typed that it touches, where it is asked for. */
  count?: number
  /** From now on without asking, in this conversation. */
  always?: boolean
}

const COLUMNS =
  'id, created_at, user_id, conversation_id, message_id, seq, tool, args, preview, risk, rules, from_data, state, ' +
  'needs_count, undo, undo_until, expires_at, decided_at, result, error_code'
const AT_MOST = 1_000

/** All proposals of a conversation, in the order they were made. */
export function toolCallsQuery(userId: string, conversationId: string) {
  return queryOptions({
    queryKey: toolCallsKey(userId, conversationId),
    queryFn: async (): Promise<ToolCall[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('tool_calls')
          .select(COLUMNS)
          .eq('conversation_id', conversationId)
          .order('created_at')
          .order('seq')
          .limit(AT_MOST)
          .overrideTypes<ToolCall[], { merge: false }>(),
      )
    },
    refetchInterval: pollingInterval,
  })
}

/** One proposal; null when it is gone. */
export function toolCallQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: ['tool_call', userId, id],
    queryFn: async (): Promise<ToolCall | null> => {
      await currentUser()
      const row = supabase.from('tool_calls').select(COLUMNS).eq('id', id).maybeSingle()
      return unwrap(await row.overrideTypes<ToolCall, { merge: false }>())
    },
    staleTime: 0,
  })
}

/** Shows a proposal as the server just told it: by the stream of an answer, or by realtime. */
export function applyToolCall(client: QueryClient, userId: string, call: ToolCall): void {
  const queryKey = toolCallsKey(userId, call.conversation_id)
  client.setQueryData<ToolCall[]>(queryKey, (rows = []) =>
    rows.some(({ id }) => id === call.id) ? rows.map((row) => (row.id === call.id ? call : row)) : [...rows, call],
  )
}

/** Sends a decision; a second one finds the first, and the card shows what it was. @throws FunctionError */
export function useDecide(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ call, ...rest }: Decision) => invoke<ToolCall>('chat_action', { tool_call_id: call.id, ...rest }),
    onSuccess: (call, { always }) => {
      applyToolCall(client, userId, call)
      if (always) void client.invalidateQueries({ queryKey: conversationKey(userId, call.conversation_id) })
    },
    onError: (error, { call }) => {
      // Decided elsewhere, or too late: the truth is on the server.
      if (error instanceof FunctionError && error.status !== 422)
        void client.invalidateQueries({ queryKey: toolCallsKey(userId, call.conversation_id) })
    },
  })
}
