import { expect, test } from 'vitest'

import { centsOf } from '@/lib/typed-amount'

test.each([
  ['1.220,00', 122_000],
  ['1220', 122_000],
  ['1220.5', 122_050],
  ['1.220 €', 122_000],
  ['-20,10', -2_010],
  ['', null],
  ['mille', null],
  ['1,2,3', null],
])('«%s» is %s cents', (typed, cents) => {
  expect(centsOf(typed)).toBe(cents)
})
