import { expect, test } from 'vitest'

import { iban, ibanInFours } from '@/lib/iban'

import vectors from '../../../tests/vectors/tax_ids.json'

test.each(Object.entries(vectors.iban.valid))('%j is the account %s', (typed, code) => {
  expect(iban(typed)).toBe(code)
  expect(iban(ibanInFours(code))).toBe(code)
})

test.each([...vectors.iban.invalid, ''])('%j is no account', (typed) => {
  expect(iban(typed)).toBeNull()
})

test('an account is shown in groups of four', () => {
  expect(ibanInFours('IT60X0542811101000000123456')).toBe('IT60 X054 2811 1010 0000 0123 456')
  expect(ibanInFours('PL61109010140000071219812874')).toBe('PL61 1090 1014 0000 0712 1981 2874')
})
