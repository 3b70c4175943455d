import { expect, test } from 'vitest'

import { centsOf, priceOf } from '@/lib/typed-amount'

import vectors from '../../../tests/vectors/amounts.json'

test.each([...Object.entries(vectors), ['-20,10', -2_010] as const, ['mille', null] as const])(
  '«%s» is %s cents',
  (typed, cents) => {
    expect(centsOf(typed)).toBe(cents)
  },
)

test('a price is never below zero', () => {
  expect(priceOf('1.500,50 €')).toBe(150_050)
  expect(priceOf('-3')).toBeNull()
})
