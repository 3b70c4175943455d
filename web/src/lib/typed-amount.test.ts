import { expect, test } from 'vitest'

import { centsOf, priceOf } from '@/lib/typed-amount'

test.each([
  ['1.220,00', 122_000],
  ['1220', 122_000],
  ['1220.5', 122_050],
  ['1.234.567,8', 123_456_780],
  ['1.220 €', 122_000],
  ['€ 99', 9_900],
  ['-20,10', -2_010],
  ['', null],
  ['mille', null],
  ['1,2,3', null],
  ['12,345', null],
])('«%s» is %s cents', (typed, cents) => {
  expect(centsOf(typed)).toBe(cents)
})

test('a price is never below zero', () => {
  expect(priceOf('1.500,50 €')).toBe(150_050)
  expect(priceOf('-3')).toBeNull()
})
