/**
 * The answers that are being given, for the whole client: leaving the page does not stop them, a broken connection is
 * taken up again, and an answer that began elsewhere (another tab, before a reload) is followed too.
 *
 * What is heard changes many times a second and stands here; what has ended stands in the query cache.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { EventSourceMessage } from 'eventsource-parser'
import { useSyncExternalStore } from 'react'

import {
  type AgentChoice,
  type ChatMode,
  conversationKey,
  conversationsKey,
  type Message,
  messagesKey,
  type PickedRef,
  putMessages,
} from '@/data/chat'
import { afterEvent, answerOf, type ChatEvent, newTurn, questionOf, readEvent, type Turn } from '@/data/chat-turn'
import { memoryUsesQuery } from '@/data/conversations'
import { creditsKey } from '@/data/credits'
import { openStream } from '@/data/functions'
import { memoriesQuery } from '@/data/memories'
import { unwrap } from '@/data/postgrest'
import { onSessionChange } from '@/data/session'
import { applyToolCall } from '@/data/tool-calls'
import { balanceQuery } from '@/data/wallet'
import { FunctionError } from '@/lib/server-errors'
import { type Connection, follow } from '@/lib/sse'
import { supabase } from '@/lib/supabase'

export type Question = {
  /** Null begins a conversation. */
  conversationId: string | null
  /** The message that it comes after. */
  parentId: string | null
  /** The answer to be given anew: a second one to the same question. */
  regenerate: string | null
  content: string
  attachments: string[]
  picked: PickedRef | null
  agent: AgentChoice
  mode: ChatMode
  isDeep: boolean
  /** The price that was shown: an answer that may cost more is not begun. */
  maxCredits: number
  isTemporary: boolean
  /** The same key again is the same question: it is asked once. */
  clientKey: string
}

type Person = { client: QueryClient; userId: string }

/** So often it is tried in vain, then the question goes back to who asked it. */
const ATTEMPTS = 3
/** Twenty pictures a second are as many as anybody reads. */
const PUBLISH_MS = 50
/** Said by what stands before the server, which may not have heard of it. */
const AWAY = new Set([502, 504])

let turns: ReadonlyMap<string, Turn> = new Map()
let shown = turns
let timer: number | undefined
const listeners = new Set<() => void>()
/** By message: those that we listen to, and those that were gone when we asked. */
const followed = new Map<string, AbortController>()

function publish(): void {
  window.clearTimeout(timer)
  timer = undefined
  shown = turns
  for (const listener of listeners) listener()
}

function put(turn: Turn): void {
  turns = new Map(turns).set(turn.messageId, turn)
  timer ??= window.setTimeout(publish, PUBLISH_MS)
}

function drop(messageId: string): void {
  turns = new Map([...turns].filter(([id]) => id !== messageId))
  publish()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The answer `messageId` as far as it was heard; undefined when nobody is giving it. */
export function useTurn(messageId: string | null): Turn | undefined {
  return useSyncExternalStore(subscribe, () => (messageId === null ? undefined : shown.get(messageId)))
}

/**
 * Asks, and answers when the answer begins.
 * @throws FunctionError when the server refused, Error when it could not be reached: asking again with the same key
 * finds what was asked already.
 */
export function ask({ client, userId }: Person, question: Question): Promise<Turn> {
  const stop = new AbortController()
  return new Promise((resolve, reject) => {
    let attempts = 0
    let refusal: unknown = new Error('the server could not be reached')
    const first = async (): Promise<Connection> => {
      attempts += 1
      try {
        const body = await openStream('chat', { method: 'POST', body: bodyOf(question), signal: stop.signal })
        if (body) return { state: 'open', body }
      } catch (error) {
        refusal = error
        if (error instanceof FunctionError && !AWAY.has(error.status)) return { state: 'gone' }
      }
      return { state: attempts < ATTEMPTS && navigator.onLine ? 'away' : 'gone' }
    }
    const onStart = (turn: Turn) => {
      const answer = answerOf(turn, question.regenerate === null ? turn.questionId : question.parentId)
      const rows = question.regenerate === null ? [questionOf(turn, question), answer] : [answer]
      putMessages(client, userId, turn.conversationId, rows)
      void client.invalidateQueries({ queryKey: conversationsKey(userId) })
      resolve(turn)
    }
    void listen({ client, userId }, { first, onStart, stop }).then(() => reject(refusal as Error))
  })
}

const bodyOf = (question: Question) => ({
  conversation_id: question.conversationId,
  parent_id: question.parentId,
  regenerate: question.regenerate,
  content: question.content,
  attachments: question.attachments,
  picked: question.picked,
  agent: question.agent,
  mode: question.mode,
  deep: question.isDeep,
  client_key: question.clientKey,
  is_temporary: question.isTemporary,
  max_credits: question.maxCredits,
})

/** Listens to an answer that somebody else has asked for, or we did before a reload. Once for each: then its row tells. */
export function resume(person: Person, { id, conversation_id: conversationId }: Message): void {
  if (followed.has(id)) return
  const stop = new AbortController()
  followed.set(id, stop)
  const first = async (): Promise<Connection> => {
    const run = unwrap(await supabase.from('runs').select('id, state').eq('message_id', id).maybeSingle())
    return run?.state === 'running' ? reopen(run.id, '0', stop.signal) : { state: 'gone' }
  }
  void listen(person, { first, onStart: () => undefined, stop }).finally(() =>
    person.client.invalidateQueries({ queryKey: messagesKey(person.userId, conversationId) }),
  )
}

async function reopen(runId: string, last: string, signal: AbortSignal): Promise<Connection> {
  try {
    const address = `chat?${new URLSearchParams({ run: runId, last }).toString()}`
    const body = await openStream(address, { method: 'GET', signal })
    return body ? { state: 'open', body } : { state: 'gone' }
  } catch (error) {
    return { state: error instanceof FunctionError && error.status === 404 ? 'gone' : 'away' }
  }
}

type Listening = { first: () => Promise<Connection>; onStart: (turn: Turn) => void; stop: AbortController }

/** To the end of an answer, over as many connections as it takes. */
async function listen(person: Person, { first, onStart, stop }: Listening): Promise<void> {
  let messageId: string | null = null
  const heard = () => (messageId === null ? undefined : turns.get(messageId))

  function onEvent({ event: name = '', data }: EventSourceMessage): boolean {
    const event = readEvent(name, data)
    if (!event) return false
    const before = heard()
    if (event.name === 'start') {
      const turn = newTurn(event.data)
      messageId = turn.messageId
      followed.set(messageId, stop)
      put(turn)
      publish()
      if (!before) onStart(turn)
    } else if (before) put(afterEvent(before, event))
    if (before) keep(person, before, event)
    return event.name === 'done' || event.name === 'error'
  }

  function onConnection(isThere: boolean): void {
    const turn = heard()
    if (turn && turn.state !== 'stopping') put({ ...turn, state: isThere ? 'streaming' : 'lost' })
  }

  const connect = (last: string) => {
    const turn = heard()
    return turn ? reopen(turn.runId, last, stop.signal) : first()
  }
  const outcome = await follow({ connect, onEvent, onConnection, signal: stop.signal }).catch(() => 'lost' as const)
  const turn = heard()
  if (!turn) return
  if (outcome === 'lost') followed.delete(turn.messageId)
  if (outcome !== 'over') {
    await person.client.invalidateQueries({ queryKey: messagesKey(person.userId, turn.conversationId) })
  }
  drop(turn.messageId)
}

/** What an event leaves in the query cache. */
function keep({ client, userId }: Person, { conversationId }: Turn, event: ChatEvent): void {
  switch (event.name) {
    case 'card':
      applyToolCall(client, userId, event.data)
      break
    case 'memory':
      void client.invalidateQueries({ queryKey: memoriesQuery(userId).queryKey, exact: true })
      break
    case 'done':
    case 'error':
      void client.cancelQueries({ queryKey: messagesKey(userId, conversationId), exact: true })
      putMessages(client, userId, conversationId, [event.name === 'done' ? event.data.message : event.data.row])
      void client.invalidateQueries({ queryKey: conversationsKey(userId) })
      void client.invalidateQueries({ queryKey: conversationKey(userId, conversationId) })
      void client.invalidateQueries(memoryUsesQuery(userId, conversationId))
      void client.invalidateQueries(balanceQuery(userId))
      void client.invalidateQueries({ queryKey: creditsKey(userId) })
      break
    default:
  }
}

/** Asks the server to end an answer; what was said so far stays. @throws DataError */
export async function stopTurn(messageId: string): Promise<void> {
  const turn = turns.get(messageId)
  if (!turn) return
  put({ ...turn, state: 'stopping' })
  publish()
  try {
    unwrap(await supabase.rpc('stop_run', { _run_id: turn.runId }))
  } catch (error) {
    const now = turns.get(messageId)
    if (now) put({ ...now, state: 'streaming' })
    throw error
  }
}

let owner: string | undefined

// Nobody hears the answers of another person.
onSessionChange((state) => {
  const before = owner
  owner = state?.user.id
  if (before === undefined || before === owner) return
  for (const stop of followed.values()) stop.abort()
  followed.clear()
  turns = new Map()
  publish()
})
