import { expect, test } from 'vitest'

import { badgeCount, formatCredits } from '@/strings/numbers'

test.each([
  [1, '1'],
  [9, '9'],
  [10, '9+'],
  [50, '9+'],
])('the badge for %i unread shows %s', (unread, shown) => {
  expect(badgeCount(unread)).toBe(shown)
})

test('credits are grouped from four digits on', () => {
  expect(formatCredits(100)).toBe('100')
  expect(formatCredits(1234)).toBe('1.234')
  expect(formatCredits(12.5)).toBe('12,5')
})
