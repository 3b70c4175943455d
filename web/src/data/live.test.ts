/** What a told change does to the list that the bell counts. */
import type { RealtimeChannel, RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'

import { useLiveUpdates } from '@/data/live'
import { applyChange, type Notification, notificationsQuery, useMarkRead } from '@/data/notifications'
import { pollingInterval } from '@/data/postgrest'
import { balanceQuery } from '@/data/wallet'
import { setLive } from '@/lib/live'
import { supabase } from '@/lib/supabase'

import { storeSession } from '../../test/network'
import { notification } from '../../test/notifications'

type Change = RealtimePostgresChangesPayload<Notification>

afterEach(() => setLive('off'))

const row = (id: string, minute: number, change: Partial<Notification> = {}): Notification =>
  notification(id, { created_at: new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString(), ...change })

const told = (eventType: Change['eventType'], change: Partial<Notification>): Change =>
  ({ eventType, new: eventType === 'DELETE' ? {} : change, old: change, errors: [] }) as unknown as Change

const ids = (rows: Notification[] | null) => rows?.map(({ id }) => id)

test('a new row takes its place by time, once however often it is told', () => {
  const rows = [row('c', 3), row('a', 1)]
  const once = applyChange(rows, told('INSERT', row('b', 2))) ?? []
  expect(ids(once)).toEqual(['c', 'b', 'a'])
  expect(ids(applyChange(once, told('INSERT', row('b', 2))))).toEqual(['c', 'b', 'a'])
})

test('a row read elsewhere is read here', () => {
  const rows = applyChange([row('a', 1)], told('UPDATE', row('a', 1, { is_read: true })))
  expect(rows?.[0]?.is_read).toBe(true)
})

test('a change of a row beyond the list is nothing to show', () => {
  expect(ids(applyChange([row('b', 2)], told('UPDATE', row('a', 1))))).toEqual(['b'])
})

test('a deleted row goes by its id alone, and an unknown one changes nothing', () => {
  expect(ids(applyChange([row('b', 2), row('a', 1)], told('DELETE', { id: 'b' })))).toEqual(['a'])
  expect(ids(applyChange([row('a', 1)], told('DELETE', { id: 'b' })))).toEqual(['a'])
})

test('a full list stays at fifty, and asks the server what follows a deleted row', () => {
  const full = Array.from({ length: 50 }, (_, index) => row(`r${index}`, 50 - index))
  expect(applyChange(full, told('INSERT', row('new', 59)))).toHaveLength(50)
  expect(applyChange(full, told('DELETE', { id: 'r3' }))).toBeNull()
})

test('polling slows down while changes arrive by themselves, and only then', () => {
  const fine = { state: { status: 'success' } }
  setLive('live')
  expect(pollingInterval(fine)).toBe(300_000)
  expect(pollingInterval({ state: { status: 'error' } })).toBe(5_000)
  setLive('lost')
  expect(pollingInterval(fine)).toBe(30_000)
})

type Told = { table: string }

/** A channel that is subscribed by `join`; `tell` sends a change of `table` to its listeners. */
function fakeChannel() {
  const listeners = new Map<string, (change: Change) => void>()
  let onStatusChange: ((status: string) => void) | undefined
  const channel = {
    on: (_kind: string, { table }: Told, listener: (change: Change) => void) => {
      listeners.set(table, listener)
      return channel
    },
    subscribe: (onStatus: (status: string) => void) => {
      onStatusChange = onStatus
      return channel
    },
  }
  vi.spyOn(supabase.realtime, 'setAuth').mockResolvedValue()
  vi.spyOn(supabase, 'removeChannel').mockResolvedValue('ok')
  vi.spyOn(supabase, 'channel').mockReturnValue(channel as unknown as RealtimeChannel)
  return {
    listeners,
    join: () => act(() => onStatusChange?.('SUBSCRIBED')),
    tell: (table: string, change: Change) => act(() => listeners.get(table)?.(change)),
  }
}

test('what comes while the list is asked for after an own click is on it', async () => {
  storeSession()
  window.__SOCIO__ = { supabaseUrl: 'http://127.0.0.1:54321', publishableKey: 'sb_publishable_test', realtime: true }
  const { listeners, tell } = fakeChannel()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } })
  const key = notificationsQuery('user-1').queryKey
  const mine = row('a', 1, { is_read: true })
  client.setQueryData(key, [row('a', 1)])
  const reads: ((rows: Notification[]) => void)[] = []
  vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) => {
    if (init?.method === 'PATCH') return new Response(null, { status: 204 })
    const rows = await new Promise<Notification[]>((resolve) => reads.push(resolve))
    return new Response(JSON.stringify(rows), { headers: { 'content-type': 'application/json' } })
  })
  const { result } = renderHook(
    () => {
      useLiveUpdates('user-1')
      useQuery(notificationsQuery('user-1'))
      return useMarkRead()
    },
    {
      wrapper: ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children),
    },
  )
  await waitFor(() => expect(listeners.has('notifications')).toBe(true))
  act(() => result.current.mutate(['a']))
  // Our own change is told before its answer is here: nothing is asked for.
  tell('notifications', told('UPDATE', mine))
  await waitFor(() => expect(reads).toHaveLength(1))
  tell('notifications', told('INSERT', row('new', 5)))
  await waitFor(() => expect(reads).toHaveLength(2))
  reads[0]?.([mine])
  reads[1]?.([row('new', 5), mine])
  await waitFor(() => expect(ids(client.getQueryData(key) ?? null)).toEqual(['new', 'a']))
})

test('when the channel stands the newest notifications come with the balance, and alone if they were being asked for', async () => {
  storeSession()
  window.__SOCIO__ = { supabaseUrl: 'http://127.0.0.1:54321', publishableKey: 'sb_publishable_test', realtime: true }
  const { listeners, join, tell } = fakeChannel()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const key = notificationsQuery('user-1').queryKey
  const answers: ((body: unknown) => void)[] = []
  const asked: string[] = []
  vi.stubGlobal('fetch', async (input: string | URL) => {
    asked.push(new URL(input).pathname.replace('/rest/v1/', ''))
    const body = await new Promise((resolve) => answers.push(resolve))
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  })
  renderHook(
    () => {
      useLiveUpdates('user-1')
      useQuery(balanceQuery('user-1'))
      useQuery(notificationsQuery('user-1'))
    },
    { wrapper: ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children) },
  )
  await waitFor(() => expect(listeners.has('notifications')).toBe(true))
  await waitFor(() => expect(asked).toEqual(['credit_wallets', 'notifications']))
  answers[0]?.({ balance: 1 })
  answers[1]?.([])
  await waitFor(() => expect(client.isFetching()).toBe(0))
  join()
  await waitFor(() => expect(asked.slice(2)).toEqual(['credit_wallets']))
  // Told meanwhile: which of both is newer is not known.
  tell('notifications', told('INSERT', row('new', 5)))
  await waitFor(() => expect(asked.slice(3)).toEqual(['notifications']))
  answers[2]?.({ balance: 1, notifications: [row('missed', 4)] })
  // The answer under way may be older than the channel.
  join()
  await waitFor(() => expect(asked.slice(4).toSorted()).toEqual(['credit_wallets', 'notifications']))
  answers[3]?.([])
  answers[asked.indexOf('notifications', 4)]?.([row('new', 5), row('missed', 4)])
  await waitFor(() => expect(ids(client.getQueryData(key) ?? null)).toEqual(['new', 'missed']))
})

test('the home is asked for at once after a change, and seldom while they keep coming', async () => {
  storeSession()
  window.__SOCIO__ = { supabaseUrl: 'http://127.0.0.1:54321', publishableKey: 'sb_publishable_test', realtime: true }
  const { listeners, tell } = fakeChannel()
  const client = new QueryClient()
  renderHook(() => useLiveUpdates('user-1'), {
    wrapper: ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children),
  })
  await waitFor(() => expect(listeners.has('invoices')).toBe(true))
  vi.useFakeTimers()
  const invalidated = vi.spyOn(client, 'invalidateQueries')
  const asked = () => invalidated.mock.calls.filter(([filters]) => filters?.queryKey?.[0] === 'home').length
  tell('invoices', told('UPDATE', {}))
  tell('insights', told('INSERT', {}))
  vi.advanceTimersByTime(50)
  expect(asked()).toBe(1)
  for (let changes = 0; changes < 10; changes += 1) {
    tell('tasks', told('UPDATE', {}))
    vi.advanceTimersByTime(50)
  }
  expect(asked()).toBe(2)
  vi.useRealTimers()
})
