import { expect, test } from 'vitest'

import { payTo } from '@/data/pay-to'

import { makeProfile } from '../../test/profile'

const IBAN = 'IT60X0542811101000000123456'
const OTHER = 'DE89370400440532013000'

test.each([
  ['without an account', null, [IBAN], null],
  ['of an invoice that names none', IBAN, [], { iban: IBAN, holder: null }],
  ['of an invoice that names it', IBAN, [IBAN, IBAN], { iban: IBAN, holder: null }],
  ['of an invoice that names another', IBAN, [IBAN, OTHER], null],
])('%s', (_, iban, named, expected) => {
  expect(payTo(makeProfile({ iban }), named)).toEqual(expected)
})

test('whose account it is goes with it', () => {
  expect(payTo(makeProfile({ iban: IBAN, account_holder: 'Ferri snc' }), [])).toEqual({
    iban: IBAN,
    holder: 'Ferri snc',
  })
  expect(payTo(null, [])).toBeNull()
})
