/** The queries of the client, as they leave the browser. */
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'

import { notificationsQuery } from '@/data/notifications'
import { pollingInterval } from '@/data/postgrest'
import { balanceQuery } from '@/data/wallet'

import { answerWith, storeSession } from '../../test/network'

const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

test('the balance is one row of the wallet of the user', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: { balance: 100, notifications: [] } }))
  expect(await client().fetchQuery(balanceQuery('user-1'))).toBe(100)
  expect(calls[0]?.path).toBe(
    '/rest/v1/credit_wallets?select=balance,notifications(*)&user_id=eq.user-1&notifications.order=created_at.desc&notifications.limit=50',
  )
})

test('with the balance come the newest notifications, but never over newer ones', async () => {
  storeSession('user-1')
  const [first, second] = [{ id: 'first' }, { id: 'second' }]
  const cache = client()
  const { queryKey } = notificationsQuery('user-1')
  answerWith(() => ({ body: { balance: 100, notifications: [second] } }))
  await cache.fetchQuery(balanceQuery('user-1'))
  expect(cache.getQueryData(queryKey)).toBeUndefined()
  cache.setQueryData(queryKey, [first] as never, { updatedAt: Date.now() - 1_000 })
  await cache.fetchQuery({ ...balanceQuery('user-1'), staleTime: 0 })
  expect(cache.getQueryData(queryKey)).toEqual([second])
  cache.setQueryData(queryKey, [first] as never, { updatedAt: Date.now() + 1_000 })
  await cache.fetchQuery({ ...balanceQuery('user-1'), staleTime: 0 })
  expect(cache.getQueryData(queryKey)).toEqual([first])
})

test('while the notifications are asked for, the balance comes alone', async () => {
  storeSession('user-1')
  const calls = answerWith(({ path }) => ({ body: path.includes('wallets') ? { balance: 100 } : [{ id: 'first' }] }))
  const cache = client()
  const [balance, rows] = await Promise.all([
    cache.fetchQuery(balanceQuery('user-1')),
    cache.fetchQuery(notificationsQuery('user-1')),
  ])
  expect([balance, rows]).toEqual([100, [{ id: 'first' }]])
  expect(calls.map(({ path }) => path).toSorted()).toEqual([
    '/rest/v1/credit_wallets?select=balance&user_id=eq.user-1',
    '/rest/v1/notifications?select=*&order=created_at.desc&limit=50',
  ])
})

test('notifications come newest first, at most fifty', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: [] }))
  await client().fetchQuery(notificationsQuery('user-1'))
  expect(calls[0]?.path).toBe('/rest/v1/notifications?select=*&order=created_at.desc&limit=50')
})

test.each([
  ['balance', balanceQuery],
  ['notifications', notificationsQuery],
])('the %s query fails with «Not authenticated» when nobody is signed in', async (_name, query) => {
  const calls = answerWith(() => ({}))
  await expect(client().fetchQuery<unknown>(query('user-1') as never)).rejects.toThrow('Not authenticated')
  expect(calls).toEqual([])
})

test('a read waits as long as Retry-After says and then asks again', async () => {
  storeSession()
  let away = true
  const calls = answerWith(() => {
    if (!away) return { body: { balance: 7, notifications: [] } }
    away = false
    return { status: 503, headers: { 'retry-after': '0' }, body: { message: 'away' } }
  })
  expect(await client().fetchQuery(balanceQuery('user-1'))).toBe(7)
  expect(calls).toHaveLength(2)
})

test('polling is every 30 s, and sooner after a failure', () => {
  expect(pollingInterval({ state: { status: 'success' } })).toBe(30_000)
  expect(pollingInterval({ state: { status: 'error' } })).toBe(5_000)
})
