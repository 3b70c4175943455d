/** What the lists of notifications ask for, and what a change does to them. */
import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'

import {
  type Notification,
  notificationPagesQuery,
  notificationsQuery,
  useDeleteNotifications,
  useMarkAllRead,
  useMarkUnread,
} from '@/data/notifications'

import { answerWith, type Call, storeSession } from '../../test/network'
import { notification } from '../../test/notifications'

const LIST = '/rest/v1/notifications?select=*'
const ORDER = 'order=created_at.desc,id.desc&limit=50'

const row = (id: string, change: Partial<Notification> = {}): Notification =>
  notification(id, { created_at: '2026-11-21T09:00:00+00:00', ...change })

function start() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } })
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const newest = notificationsQuery('user-1').queryKey
  const pages = notificationPagesQuery('user-1', 'tutte').queryKey
  const rows = [row('a'), row('b'), row('c', { is_read: true, read_at: '2026-11-20T09:00:00+00:00' })]
  client.setQueryData(newest, rows)
  client.setQueryData(pages, { pages: [rows], pageParams: [null] })
  storeSession()
  return { client, wrapper, inCache: () => [client.getQueryData(newest), client.getQueryData(pages)?.pages.flat()] }
}

test.each([
  ['tutte', ''],
  ['non-lette', '&is_read=eq.false'],
  ['incassi', '&category=eq.incassi'],
] as const)('the pages of «%s» go on after the last row', async (view, filter) => {
  storeSession()
  const full = Array.from({ length: 50 }, (_, at) => row(`r${at}`))
  const calls = answerWith(({ path }) => ({ body: path.includes('or=') ? [row('last')] : full }))
  const { pages } = await new QueryClient().fetchInfiniteQuery({ ...notificationPagesQuery('user-1', view), pages: 3 })
  const at = '2026-11-21T09:00:00+00:00'
  expect(pages.flat()).toHaveLength(51)
  expect(calls.map(({ path }) => path)).toEqual([
    `${LIST}${filter}&${ORDER}`,
    `${LIST}${filter}&${ORDER}&created_at=lte.${at}&or=(created_at.lt."${at}",and(created_at.eq."${at}",id.lt.r49))`,
  ])
})

test('«Annulla» makes unread again all that one click has read, loaded here or not', async () => {
  const { wrapper, inCache } = start()
  const calls = answerWith(() => ({ status: 204 }))
  const at = '2026-11-22T09:00:00.123Z'
  const { result } = renderHook(() => ({ all: useMarkAllRead(), none: useMarkUnread() }), { wrapper })
  await act(() => result.current.all.mutateAsync(at))
  expect(inCache().map((rows) => rows?.map(({ is_read }) => is_read))).toEqual([
    [true, true, true],
    [true, true, true],
  ])
  await act(() => result.current.none.mutateAsync(at))
  expect(inCache().map((rows) => rows?.map(({ is_read }) => is_read))).toEqual([
    [false, false, true],
    [false, false, true],
  ])
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    ['/rest/v1/notifications?user_id=eq.user-1&is_read=eq.false', { is_read: true, read_at: at }],
    [`/rest/v1/notifications?user_id=eq.user-1&read_at=eq.${at}`, { is_read: false, read_at: null }],
  ])
})

test('what is deleted does not come back while another deletion is under way', async () => {
  const { wrapper } = start()
  const left = new Set(['a', 'b', 'c'])
  const gone = (id: string) => ({ left: left.delete(id), status: 204 })
  const { promise: isLet, resolve: answerB } = Promise.withResolvers<void>()
  const calls: Call[] = answerWith(({ method, path }) =>
    method === 'DELETE' ? gone(path.at(-2) ?? '') : { body: [...left].map((id) => row(id)) },
  )
  const answer = window.fetch
  // The second deletion reaches the server only when it is let.
  window.fetch = async (input, init) => {
    if (decodeURIComponent(String(input)).endsWith('(b)')) await isLet
    return answer(input, init)
  }
  const { result } = renderHook(
    () => ({
      list: useInfiniteQuery(notificationPagesQuery('user-1', 'tutte')),
      a: useDeleteNotifications(),
      b: useDeleteNotifications(),
    }),
    { wrapper },
  )
  const shown = () => result.current.list.data?.map(({ id }) => id)
  act(() => result.current.a.mutate(['a']))
  act(() => result.current.b.mutate(['b']))
  await waitFor(() => expect(result.current.a.isSuccess).toBe(true))
  expect(shown()).toEqual(['c'])
  expect(calls.filter(({ method }) => method === 'GET')).toEqual([])
  answerB()
  await waitFor(() => expect(result.current.b.isSuccess).toBe(true))
  expect(shown()).toEqual(['c'])
  expect(calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
})
