import { afterEach, expect, test, vi } from 'vitest'

import { isReachable, subscribe, watchedFetch } from '@/lib/connection'

const answer = (status: number) => vi.stubGlobal('fetch', async () => new Response(null, { status }))

afterEach(async () => {
  answer(200)
  await watchedFetch('/')
})

test.each([502, 503, 504])('an answer %i means that the server is away', async (status) => {
  answer(status)
  await watchedFetch('/')
  expect(isReachable()).toBe(false)
})

test.each([200, 400, 401, 404, 500])('an answer %i means that the server is there', async (status) => {
  answer(status)
  await watchedFetch('/')
  expect(isReachable()).toBe(true)
})

test('a function whose helper is away says nothing about the server', async () => {
  answer(503)
  await watchedFetch('https://api.socio.example/functions/v1/check_vat')
  expect(isReachable()).toBe(true)
  answer(502)
  await watchedFetch('https://api.socio.example/functions/v1/check_vat')
  expect(isReachable()).toBe(false)
})

test('listeners hear when the server goes and comes back, once each', async () => {
  const heard: boolean[] = []
  const stop = subscribe(() => heard.push(isReachable()))
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(watchedFetch('/')).rejects.toThrow('Failed to fetch')
  await expect(watchedFetch('/')).rejects.toThrow('Failed to fetch')
  answer(200)
  await watchedFetch('/')
  stop()
  expect(heard).toEqual([false, true])
})

test('a request that the page gave up says nothing about the server', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new DOMException('gone', 'AbortError')))
  await expect(watchedFetch('/')).rejects.toThrow('gone')
  expect(isReachable()).toBe(true)
})
