/**
 * What a person wrote without a network. It is kept in this browser, under their id, until data/outbox-sending.ts has
 * sent it. Where the browser keeps nothing (blocked storage), the call fails as it would without an outbox.
 */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { createStore, get, update, type UseStore } from 'idb-keyval'

import type { NewTask } from '@/data/tasks'
import { DataError } from '@/lib/server-errors'

/** Why the server did not take an entry: the row is gone, it was done or reopened elsewhere, a right or a value. */
export type Refusal = 'gone' | 'done' | 'open' | 'forbidden' | 'invalid' | 'failed'

/** The id is the same at each attempt; rows and notes bring their own, so that the server knows them again. */
type Content = { id: string } & (
  | { kind: 'add'; rows: (NewTask & { id: string })[] }
  | { kind: 'note'; contactId: string; body: string }
  | { kind: 'complete' | 'reopen'; taskId: string; title: string }
)

export type OutboxEntry = Content & {
  /** Its place in the order. */
  place: number
  writtenAt: string
  /** An earlier attempt got no answer: the server may know it. */
  isTried: boolean
  refusal: Refusal | null
}

/** The answer to a call whose content is in the outbox now. */
export const KEPT = 'kept'
export type Kept = typeof KEPT

const outboxKey = (userId: string) => ['outbox', userId] as const
/** Where the tabs of this browser hear that the outbox of a person has changed. */
export const outboxChannel = (userId: string) => new BroadcastChannel(`socio.outbox.${userId}`)

let opened: UseStore | undefined
const store = () => (opened ??= createStore('socio.outbox', 'people'))

/** Works on the store; over a new connection where the browser has closed the last one, as Safari does behind a page. */
async function withStore<T>(work: (store: UseStore) => Promise<T>): Promise<T> {
  try {
    return await work(store())
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
    opened = undefined
    return work(store())
  }
}

export const readOutbox = async (userId: string): Promise<OutboxEntry[]> =>
  (await withStore((kept) => get<OutboxEntry[]>(userId, kept))) ?? []

/** In the order in which they are sent. */
export function outboxQuery(userId: string) {
  return queryOptions({
    queryKey: outboxKey(userId),
    // Nothing can be kept where nothing can be read.
    queryFn: () => readOutbox(userId).catch((): OutboxEntry[] => []),
    staleTime: Infinity,
    networkMode: 'always',
  })
}

/** Shows what is kept now, here and in the other tabs. */
export async function reloadOutbox(client: QueryClient, userId: string): Promise<void> {
  client.setQueryData(outboxQuery(userId).queryKey, await readOutbox(userId))
}

/** Changes what is kept, in one transaction; what the screens show follows with reloadOutbox. */
export async function changeOutbox(userId: string, change: (entries: OutboxEntry[]) => OutboxEntry[]): Promise<void> {
  await withStore((kept) => update<OutboxEntry[]>(userId, (entries = []) => change(entries), kept))
  const channel = outboxChannel(userId)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  channel.postMessage(null)
  channel.close()
}

/** Only one tab at a time sends, and nothing is thrown away while it is being sent. */
export const withOutboxLock = <T>(userId: string, work: () => Promise<T>): Promise<T> =>
  navigator.locks.request(`socio.outbox.${userId}`, work)

function tasksOf(content: Content): string[] {
  switch (content.kind) {
    case 'add':
      return content.rows.flatMap(({ id, parent_id: parent }) => (parent ? [id, parent] : [id]))
    case 'note':
      return []
    case 'complete':
    case 'reopen':
      return [content.taskId]
  }
}

/** Whether both are about one task: the later one has to wait for the earlier one. */
function areRelated(one: Content, other: Content): boolean {
  const ids = tasksOf(one)
  return tasksOf(other).some((id) => ids.includes(id))
}

/** The first entry that may be sent: one that is not refused and does not follow an entry about the same task. */
export const nextToSend = (entries: readonly OutboxEntry[]): OutboxEntry | undefined =>
  entries.find(
    (entry, index) => !entry.refusal && !entries.slice(0, index).some((earlier) => areRelated(earlier, entry)),
  )

/** Whether a call failed for lack of a network; the server may have received it. */
export const isUnanswered = (error: unknown): boolean => error instanceof DataError && error.status === 0

async function keep(client: QueryClient, userId: string, content: Content, isTried: boolean): Promise<void> {
  await changeOutbox(userId, (entries) => [
    ...entries.filter(({ id }) => id !== content.id),
    {
      ...content,
      place: (entries.at(-1)?.place ?? 0) + 1,
      writtenAt: new Date().toISOString(),
      isTried,
      refusal: null,
    },
  ])
  await reloadOutbox(client, userId)
}

/**
 * Runs `send`; without a network, or behind what already waits, `content` goes into the outbox instead.
 *
 * @throws what `send` throws when a server refused, or when the browser keeps nothing
 */
export async function sendOrKeep<T>(
  client: QueryClient,
  userId: string,
  content: Content,
  send: () => Promise<T>,
): Promise<T | Kept> {
  // Of the store: what the screens show may be older than what another tab has just written.
  const entries = await readOutbox(userId).catch((): OutboxEntry[] => [])
  const hasToWait = entries.some((entry) => !entry.refusal || areRelated(entry, content))
  let failure: unknown
  if (navigator.onLine && !hasToWait) {
    try {
      return await send()
    } catch (error) {
      if (!isUnanswered(error)) throw error
      failure = error
    }
  }
  try {
    await keep(client, userId, content, failure !== undefined)
  } catch {
    // A browser that blocks its storage keeps nothing: the caller says that nothing was saved.
    if (failure) throw failure
    return send()
  }
  return KEPT
}

/** Clears the refusal, so that the entry is sent again. */
export async function retryEntry(client: QueryClient, userId: string, id: string): Promise<void> {
  // What was completed elsewhere is then as the person wants it.
  await changeOutbox(userId, (entries) =>
    entries.map((entry) => (entry.id === id ? { ...entry, refusal: null, isTried: true } : entry)),
  )
  await reloadOutbox(client, userId)
}

/** Throws an entry away; false when it was sent meanwhile. The entry can be put back with restoreEntry. */
export async function discardEntry(client: QueryClient, userId: string, id: string): Promise<boolean> {
  let isThere = false
  await withOutboxLock(userId, () =>
    changeOutbox(userId, (entries) => {
      isThere = entries.some((entry) => entry.id === id)
      return entries.filter((entry) => entry.id !== id)
    }),
  )
  await reloadOutbox(client, userId)
  return isThere
}

/** Puts a discarded entry back in its place. */
export async function restoreEntry(client: QueryClient, userId: string, entry: OutboxEntry): Promise<void> {
  await changeOutbox(userId, (entries) =>
    [...entries.filter(({ id }) => id !== entry.id), entry].toSorted((a, b) => a.place - b.place),
  )
  await reloadOutbox(client, userId)
}

/** Throws everything of this person away. */
export const discardOutbox = (userId: string): Promise<void> =>
  withOutboxLock(userId, () => changeOutbox(userId, () => []))

/** Whether the server has no such task yet, because the outbox still holds it. */
export const isUnsent = (client: QueryClient, userId: string, taskId: string): boolean =>
  client
    .getQueryData(outboxQuery(userId).queryKey)
    ?.some((entry) => entry.kind === 'add' && entry.rows.some(({ id }) => id === taskId)) ?? false
