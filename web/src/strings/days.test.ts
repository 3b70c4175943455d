import { expect, test } from 'vitest'

import { longDay } from '@/strings/days'

test('a day is told in Italian, whatever the time zone', () => {
  expect(longDay('2026-11-21')).toBe('21 novembre 2026')
  expect(longDay('2025-11-03')).toBe('3 novembre 2025')
})
