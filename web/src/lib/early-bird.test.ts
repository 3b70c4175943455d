import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { countdownAt, earlyBirdEnd, useCountdown } from '@/lib/early-bird'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 21, 9)

beforeEach(() => {
  vi.useFakeTimers({ now: START })
})

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  [0, { hours: 47, minutes: 0, seconds: 0, availableSpots: 37, isExpired: false }],
  [1500, { hours: 46, minutes: 59, seconds: 59, availableSpots: 37, isExpired: false }],
  [23.5 * HOUR, { hours: 23, minutes: 30, seconds: 0, availableSpots: 68, isExpired: false }],
  [47 * HOUR - 1, { hours: 0, minutes: 0, seconds: 1, availableSpots: 99, isExpired: false }],
  [47 * HOUR, { hours: 0, minutes: 0, seconds: 0, availableSpots: 100, isExpired: true }],
  [500 * HOUR, { hours: 0, minutes: 0, seconds: 0, availableSpots: 100, isExpired: true }],
])('%i ms after the first visit', (elapsed, expected) => {
  expect(countdownAt(START + 47 * HOUR, START + elapsed)).toEqual({ totalHours: 47, ...expected })
})

test('the first visit starts the 47 hours and later visits keep their end', () => {
  expect(earlyBirdEnd(START)).toBe(START + 47 * HOUR)
  expect(earlyBirdEnd(START + 10 * HOUR)).toBe(START + 47 * HOUR)
  expect(earlyBirdEnd(START + 90 * HOUR)).toBe(START + 47 * HOUR)
})

test.each([
  ['nonsense', 'domani'],
  ['nothing', ''],
  ['more than 47 hours ahead', String(START + 48 * HOUR)],
])('%s in the storage counts as a first visit', (_name, stored) => {
  localStorage.setItem('early_bird_ends_at', stored)
  expect(earlyBirdEnd(START)).toBe(START + 47 * HOUR)
})

test('the hook moves on every second and stops with its last user', () => {
  const { result, unmount } = renderHook(() => useCountdown(true))
  expect(result.current).toMatchObject({ hours: 47, seconds: 0 })
  act(() => void vi.advanceTimersByTime(2000))
  expect(result.current).toMatchObject({ hours: 46, minutes: 59, seconds: 58 })
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

test('where no time runs nothing is kept in the browser', () => {
  const { result } = renderHook(() => useCountdown(false))
  expect(result.current).toBeNull()
  expect(localStorage).toHaveLength(0)
  expect(vi.getTimerCount()).toBe(0)
})
