import { expect, test } from 'vitest'

import { badgeCount, formatCredits, formatEuro, formatUnitPrice, groupedThousands } from '@/strings/numbers'

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

test('euro come from cents, with a comma and the sign behind', () => {
  expect(formatEuro(999)).toBe('9,99\u00a0€')
  expect(formatEuro(123450)).toBe('1.234,50\u00a0€')
  expect(formatEuro(0)).toBe('0,00\u00a0€')
  expect(formatUnitPrice(3999 / 550)).toBe('0,073\u00a0€')
})

test('thousands inside a text are grouped, decimals and short numbers are left', () => {
  expect(groupedThousands('1000 crediti')).toBe('1.000 crediti')
  expect(groupedThousands('1.000 crediti, 550, 9,99 €')).toBe('1.000 crediti, 550, 9,99 €')
})
