import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const HOUR_MS = 3_600_000

beforeEach(() => vi.resetModules())
afterEach(() => vi.unstubAllGlobals())

async function offerWhen(answers: Record<string, unknown>) {
  vi.stubGlobal('fetch', async (url: string) =>
    Response.json(Object.entries(answers).find(([part]) => url.includes(part))?.[1]),
  )
  const { useOffer } = await import('@/data/early-bird')
  const { result } = renderHook(useOffer)
  await waitFor(() => expect(result.current).not.toBeNull())
  return result.current
}

test.each([
  [58, false],
  [100, true],
])('with %i seats really taken the offer is over: %s, and no countdown starts', async (taken, isOver) => {
  const offer = await offerWhen({ site_settings: [{ value: false }], early_bird_seats: taken })
  expect(offer).toEqual({ countdown: null, taken, isOver })
  expect(localStorage).toHaveLength(0)
})

test('the simulated offer starts its countdown in this browser', async () => {
  const offer = await offerWhen({ site_settings: [], early_bird_seats: 58 })
  expect(offer).toMatchObject({ taken: 37, isOver: false })
  expect(Object.keys(localStorage)).toEqual(['early_bird_ends_at'])
})

test.each([
  [58, false],
  [100, true],
])('after its time the simulated offer tells the %i seats of the server; over: %s', async (taken, isOver) => {
  localStorage.setItem('early_bird_ends_at', String(Date.now() - HOUR_MS))
  const offer = await offerWhen({ site_settings: [], early_bird_seats: taken })
  expect(offer).toEqual({ countdown: null, taken, isOver })
})
