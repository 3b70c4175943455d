/** One answer while it is being given: what the events of its stream add up to (functions/chat.py sends them). */
import type { AgentChoice, ChatMode, ChatRef, Message, Suggestion, View } from '@/data/chat'
import type { ToolCall } from '@/data/tool-calls'

type Start = {
  run_id: string
  conversation_id: string
  user_message_id: string
  message_id: string
  agent: AgentChoice
  mode: ChatMode
  model: string | null
  quote: number | null
}

/** By the name of the event. */
type Payloads = {
  start: Start
  agent: { agent: AgentChoice }
  step: Step
  ref: ChatRef
  delta: { text: string }
  view: View
  card: ToolCall
  memory: unknown
  suggestions: { suggestions: Suggestion[] }
  done: { message: Message }
  error: { row: Message }
}

export type ChatEvent = { [Name in keyof Payloads]: { name: Name; data: Payloads[Name] } }[keyof Payloads]

type Step = { tool: string; text: string }

export type Turn = {
  runId: string
  conversationId: string
  questionId: string
  messageId: string
  agent: AgentChoice
  mode: ChatMode | null
  model: string | null
  quote: number | null
  steps: Step[]
  refs: ChatRef[]
  content: string
  views: View[]
  suggestions: Suggestion[]
  /** lost: the connection is away, the answer goes on without us. */
  state: 'streaming' | 'lost' | 'stopping' | 'over'
}

const names: ReadonlySet<string> = new Set<keyof Payloads>([
  'start',
  'agent',
  'step',
  'ref',
  'delta',
  'view',
  'card',
  'memory',
  'suggestions',
  'done',
  'error',
])

/** The event, or null when this version does not know it: a newer server may send more. */
export function readEvent(name: string, data: string): ChatEvent | null {
  if (!names.has(name)) return null
  try {
    return { name, data: JSON.parse(data) as unknown } as ChatEvent
  } catch {
    return null
  }
}

/** An answer that has just begun. */
export function newTurn(start: Start): Turn {
  return {
    runId: start.run_id,
    conversationId: start.conversation_id,
    questionId: start.user_message_id,
    messageId: start.message_id,
    agent: start.agent,
    mode: start.mode,
    model: start.model,
    quote: start.quote,
    steps: [],
    refs: [],
    content: '',
    views: [],
    suggestions: [],
    state: 'streaming',
  }
}

/** The row of the question, until the server's own is there. */
export function questionOf(
  turn: Turn,
  asked: { parentId: string | null; content: string; attachments: string[] },
): Message {
  const { parentId, content, attachments } = asked
  const row = { ...blank(turn), id: turn.questionId, parent_id: parentId, role: 'user' as const }
  return { ...row, status: 'done', agent: null, mode: null, model: null, quote: null, content, attachments }
}

/** The row of the answer to `questionId`, as it stands while it is being given. */
export function answerOf(turn: Turn, questionId: string | null): Message {
  return { ...blank(turn), id: turn.messageId, parent_id: questionId, role: 'assistant', status: 'streaming' }
}

function blank({ conversationId, agent, mode, model, quote }: Turn) {
  return {
    conversation_id: conversationId,
    agent,
    mode,
    model,
    quote,
    content: '',
    refs: [],
    unverified: [],
    suggestions: [],
    views: [],
    attachments: [],
    cost: null,
    error_code: null,
    created_at: new Date().toISOString(),
    finished_at: null,
  }
}

/** What `turn` is after `event`. */
export function afterEvent(turn: Turn, event: ChatEvent): Turn {
  switch (event.name) {
    case 'start':
      // All of it comes again.
      return newTurn(event.data)
    case 'agent':
      return { ...turn, agent: event.data.agent }
    case 'step':
      return { ...turn, steps: [...turn.steps, event.data] }
    case 'ref':
      return { ...turn, refs: [...turn.refs.filter(({ n }) => n !== event.data.n), event.data] }
    case 'delta':
      return { ...turn, content: turn.content + event.data.text }
    case 'view':
      return { ...turn, views: [...turn.views.filter(({ agent }) => agent !== event.data.agent), event.data] }
    case 'suggestions':
      return { ...turn, suggestions: event.data.suggestions }
    case 'done':
    case 'error':
      return { ...turn, state: 'over' }
    case 'card':
    case 'memory':
      // Rows of their own, which the query cache keeps.
      return turn
  }
}
