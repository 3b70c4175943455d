import { expect, test } from 'vitest'

import { amountOf, dayOf, postalCodeOf } from '@/lib/contact-values'

const TODAY = '2026-11-23'

test.each([
  ['2026-03-01', '2026-03-01'],
  ['2026-03-01T10:30:00', '2026-03-01'],
  ['2026-03-01 10:30:00.000Z', '2026-03-01'],
  ['1/3/2026', '2026-03-01'],
  ['01.03.26', '2026-03-01'],
  ['01/03/2026 09:15', '2026-03-01'],
  ['10-05-80', '1980-05-10'],
  ['1 marzo 2026', '2026-03-01'],
  ['1-mar-26', '2026-03-01'],
  ['46082', '2026-03-01'],
  ['46082.75', '2026-03-01'],
  ['29/02/2024', '2024-02-29'],
  ['29/02/2025', null],
  ['03/25/2026', null],
  ['1 foo 2026', null],
  ['2026', null],
  ['ieri', null],
])('the day %s is %s', (typed, day) => {
  expect(dayOf(typed, TODAY)).toBe(day)
})

test.each([
  ['1.234,56', 1234.56],
  ['1,234.56', 1234.56],
  ['1.234.567', 1234567],
  ['1.234', 1234],
  ['1234.5', 1234.5],
  ['1234,5', 1234.5],
  ['€ 1.200,00', 1200],
  ['-50,00 EUR', -50],
  ['1.200,-', 1200],
  ["1'234,50", 1234.5],
  ['0', 0],
  ['1.23.4', null],
  ['12 pezzi', null],
  ['', null],
])('the amount %s is %s', (typed, amount) => {
  expect(amountOf(typed)).toBe(amount)
})

test.each([
  ['185', null, '00185'],
  ['I-00185', 'Italia', '00185'],
  ['123456', null, null],
  ['SW1A 1AA', 'UK', 'SW1A 1AA'],
])('the postal code %s in %s is %s', (typed, country, code) => {
  expect(postalCodeOf(typed, country)).toBe(code)
})
