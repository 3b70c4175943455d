import 'fake-indexeddb/auto'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'

import {
  discardEntry,
  discardOutbox,
  KEPT,
  readOutbox,
  reloadOutbox,
  restoreEntry,
  retryEntry,
  sendOrKeep,
} from '@/data/outbox'
import { sendOutbox, useOutboxSending } from '@/data/outbox-sending'
import { completeTask, insertTasks } from '@/data/task-changes'
import { DataError } from '@/lib/server-errors'

import { answerWith, storeSession } from '../../test/network'

const ME = 'user-1'
type Handler = Parameters<typeof answerWith>[0]

let client: QueryClient

beforeEach(async () => {
  // The lock of the browser, as far as one page shows it: one after the other.
  let last: Promise<unknown> = Promise.resolve()
  vi.stubGlobal('navigator', {
    onLine: true,
    locks: { request: (_name: string, work: () => Promise<unknown>) => (last = last.then(work, work)) },
  })
  client = new QueryClient()
  storeSession(ME)
  await discardOutbox(ME)
})

function setOnline(onLine: boolean): void {
  Object.assign(navigator, { onLine })
}

const never = () => Promise.reject(new Error('nothing is sent without a network'))
const add = (id: string, send = never, more: object = {}) =>
  sendOrKeep(client, ME, { id, kind: 'add', rows: [{ id, title: `Task ${id}`, ...more }] }, send)
const note = (id: string) => sendOrKeep(client, ME, { id, kind: 'note', contactId: 'anna', body: `Note ${id}` }, never)
const complete = (taskId: string, send: () => Promise<unknown> = never) =>
  sendOrKeep(client, ME, { id: `done-${taskId}`, kind: 'complete', taskId, title: `Task ${taskId}` }, send)

const kept = async () => (await readOutbox(ME)).map(({ id, refusal }) => [id, refusal])

const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children)

/** What the server was asked to write: the path and the ids or the task. */
function writes(handler: Handler) {
  const calls = answerWith(handler)
  return () =>
    calls
      .filter(({ method }) => method === 'POST')
      .map(({ path, body }) => {
        const rows = [body].flat() as Record<string, string>[]
        return `${/\w+(?=\?|$)/.exec(path)?.[0]} ${rows.map((row) => row.id ?? Object.values(row)[0]).join()}`
      })
}

const isOpen: Handler = ({ method }) => (method === 'GET' ? { body: { state: 'da_fare' } } : { status: 201, body: {} })

test('what is written without a network is kept, then sent once and in order, by its owner', async () => {
  setOnline(false)
  expect([await add('a'), await add('b'), await note('n'), await complete('c')]).toEqual(Array(4).fill(KEPT))
  const sent = writes(isOpen)
  const owners = vi.spyOn(window, 'fetch')
  setOnline(true)
  await sendOutbox(client, ME)
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['tasks a', 'tasks b', 'notes n', 'complete_task c'])
  expect(owners.mock.calls.filter(([, init]) => String(init?.body).includes(`"user_id":"${ME}"`))).toHaveLength(3)
  expect(await kept()).toEqual([])
})

test('a task whose answer was lost is sent again under its id', async () => {
  let isLost = true
  const sent = writes(() => {
    if (isLost) throw new TypeError('Failed to fetch')
    return { status: 201 }
  })
  expect(await add('a', () => insertTasks([{ id: 'a', title: 'Task a' }]).then(never))).toBe(KEPT)
  isLost = false
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['tasks a', 'tasks a'])
  expect(await kept()).toEqual([])
})

test.each([500, 503, 403])('an answer %i is an error at once, and nothing is kept', async (status) => {
  writes(() => ({ status, body: { code: 'XX000', message: 'refused' } }))
  await expect(add('a', () => insertTasks([{ id: 'a', title: 'Task a' }]).then(never))).rejects.toBeInstanceOf(
    DataError,
  )
  expect(await kept()).toEqual([])
})

test.each([
  [404, 'PT404', 'gone'],
  [409, '23503', 'gone'],
  [403, '42501', 'forbidden'],
  [400, '23514', 'invalid'],
  [500, 'XX000', 'failed'],
])('a refusal %i %s is told, what follows it waits, and all others go on', async (status, code, refusal) => {
  setOnline(false)
  await add('a')
  await complete('a')
  await add('step', never, { parent_id: 'a' })
  await add('b')
  let isRefused = true
  const sent = writes((call) =>
    isRefused && JSON.stringify(call.body)?.includes('"id":"a"')
      ? { status, body: { code, message: 'refused' } }
      : isOpen(call),
  )
  setOnline(true)
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['tasks a', 'tasks b'])
  expect(await kept()).toEqual([
    ['a', refusal],
    ['done-a', null],
    ['step', null],
  ])
  isRefused = false
  await retryEntry(client, ME, 'a')
  await sendOutbox(client, ME)
  expect(sent().slice(2)).toEqual(['tasks a', 'complete_task a', 'tasks step'])
  expect(await kept()).toEqual([])
})

test('a task that was completed elsewhere is told, and not completed again', async () => {
  setOnline(false)
  await complete('a')
  const sent = writes(() => ({ body: { state: 'fatto' } }))
  setOnline(true)
  await sendOutbox(client, ME)
  expect(sent()).toEqual([])
  expect(await kept()).toEqual([['done-a', 'done']])
})

test('a completion whose answer was lost is no conflict with itself', async () => {
  let isLost = true
  const sent = writes(() => {
    if (isLost) throw new TypeError('Failed to fetch')
    return { body: { state: 'fatto' } }
  })
  expect(await complete('a', () => completeTask('a'))).toBe(KEPT)
  isLost = false
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['complete_task a', 'complete_task a'])
  expect(await kept()).toEqual([])
})

test('while the server is away everything waits in its order', async () => {
  setOnline(false)
  await add('a')
  await add('b')
  let isAway = true
  const sent = writes((call) => (isAway ? { status: 503, body: { code: '', message: 'away' } } : isOpen(call)))
  setOnline(true)
  await sendOutbox(client, ME)
  expect(await kept()).toEqual([
    ['a', null],
    ['b', null],
  ])
  // What is written now does not overtake it.
  expect(await add('c')).toBe(KEPT)
  isAway = false
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['tasks a', 'tasks a', 'tasks b', 'tasks c'])
})

test('two tabs send everything once', async () => {
  setOnline(false)
  await add('a')
  await note('n')
  const otherTab = new QueryClient()
  await reloadOutbox(otherTab, ME)
  const sent = writes(isOpen)
  setOnline(true)
  await Promise.all([sendOutbox(client, ME), sendOutbox(otherTab, ME)])
  expect(sent()).toEqual(['tasks a', 'notes n'])
})

test('it waits for the session of its person, and nobody else sees or sends it', async () => {
  setOnline(false)
  await add('a')
  const sent = writes(isOpen)
  setOnline(true)
  for (const session of [() => localStorage.clear(), () => storeSession('user-2')]) {
    session()
    // oxlint-disable-next-line no-await-in-loop
    await sendOutbox(client, ME)
  }
  await sendOutbox(client, 'user-2')
  expect(sent()).toEqual([])
  expect(await readOutbox('user-2')).toEqual([])
  storeSession(ME)
  await sendOutbox(client, ME)
  expect(sent()).toEqual(['tasks a'])
})

test('what is thrown away is not sent, and comes back to its place', async () => {
  setOnline(false)
  await add('a')
  await add('b')
  const [first] = await readOutbox(ME)
  expect(await discardEntry(client, ME, 'a')).toBe(true)
  expect(await discardEntry(client, ME, 'a')).toBe(false)
  expect(await kept()).toEqual([['b', null]])
  if (first) await restoreEntry(client, ME, first)
  expect(await kept()).toEqual([
    ['a', null],
    ['b', null],
  ])
})

test('what another tab keeps comes first, though this one has not heard of it', async () => {
  await reloadOutbox(client, ME)
  const otherTab = new QueryClient()
  setOnline(false)
  await sendOrKeep(otherTab, ME, { id: 'a', kind: 'add', rows: [{ id: 'a', title: 'Task a' }] }, never)
  setOnline(true)
  expect(await add('b')).toBe(KEPT)
  expect(await kept()).toEqual([
    ['a', null],
    ['b', null],
  ])
})

test('a full browser keeps nothing, and says so', async () => {
  setOnline(false)
  const full = new DOMException('The quota has been exceeded', 'QuotaExceededError')
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw full
  })
  writes(() => {
    throw new TypeError('Failed to fetch')
  })
  await expect(add('a', () => insertTasks([{ id: 'a', title: 'Task a' }]).then(never))).rejects.toBeInstanceOf(
    DataError,
  )
  put.mockRestore()
  expect(await kept()).toEqual([])
})

test('a connection that the browser has closed is opened again', async () => {
  setOnline(false)
  await add('a')
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(() => {
    throw new DOMException('The database connection is closing', 'InvalidStateError')
  })
  expect(await add('b')).toBe(KEPT)
  transaction.mockRestore()
  expect(await kept()).toEqual([
    ['a', null],
    ['b', null],
  ])
})

test('what is put back twice is there once', async () => {
  setOnline(false)
  await add('a')
  const [entry] = await readOutbox(ME)
  await discardEntry(client, ME, 'a')
  if (entry) await Promise.all([restoreEntry(client, ME, entry), restoreEntry(client, ME, entry)])
  expect(await kept()).toEqual([['a', null]])
})

test('what a server that was away held up is sent a while later, without anybody doing something', async () => {
  setOnline(false)
  await add('a')
  let isAway = true
  const sent = writes((call) => (isAway ? { status: 503, body: { code: '', message: 'away' } } : isOpen(call)))
  setOnline(true)
  const again: (() => void)[] = []
  const { setInterval } = window
  vi.spyOn(window, 'setInterval').mockImplementation(((work: () => void, ms: number) =>
    ms < 10_000 ? setInterval(work, ms) : again.push(work)) as typeof window.setInterval)
  const { unmount } = renderHook(() => useOutboxSending(ME), { wrapper })
  await waitFor(() => expect(sent()).toEqual(['tasks a']))
  isAway = false
  for (const work of again) work()
  await waitFor(async () => expect(await kept()).toEqual([]))
  expect(sent()).toEqual(['tasks a', 'tasks a'])
  unmount()
})
