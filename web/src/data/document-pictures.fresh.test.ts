import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { pagePictureQuery } from '@/data/document'
import { StorageFailure } from '@/data/storage'

// A clock of its own: what is made meanwhile, as the client of the server, would wait for it for ever.
beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 500 }))
afterEach(() => void vi.useRealTimers())

test('a page waits for its turn when the server is busy, and for no other refusal', async () => {
  const statuses = [429, 429, 200, 404]
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(() => {
    const status = statuses.shift() ?? 500
    return Promise.resolve(new Response(status === 200 ? 'picture' : null, { status }))
  })
  const client = new QueryClient()
  expect((await client.fetchQuery(pagePictureQuery('d', 1))).size).toBe(7)
  expect(asked).toHaveBeenCalledTimes(3)
  await expect(client.fetchQuery(pagePictureQuery('d', 2))).rejects.toThrow(StorageFailure)
  expect(asked).toHaveBeenCalledTimes(4)
})
