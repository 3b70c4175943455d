import { expect, test } from 'vitest'

import { businessLine, suggestionText } from '@/strings/business'

import { makeProfile } from '../../test/profile'

const address = { street: 'Via Po 3', postal_code: '40121', city: 'Bologna', province: 'BO' }

test('a business is named with its person, its number and its place, as far as they are known', () => {
  const profile = makeProfile({ business_name: 'Studio Ferri', vat_number: '09000018888', address })
  expect(businessLine(profile)).toBe('Giulia Ferri · P.IVA 09000018888 · Via Po 3, 40121 Bologna (BO)')
  expect(businessLine({ ...profile, business_name: null, address: null })).toBe('P.IVA 09000018888')
  expect(businessLine(makeProfile())).toBe('')
})

test.each([
  ['address', { city: 'Bologna', province: 'BO' }, 'Bologna (BO)'],
  ['iban', 'IT60X0542811101000000123456', 'IT60 X054 2811 1010 0000 0123 456'],
  ['tax_regime', 'forfettario', 'Forfettario'],
  ['pec', 'studio@pec.example', 'studio@pec.example'],
])('%s %j is read as «%s»', (field, value, text) => {
  expect(suggestionText({ field, value })).toBe(text)
})
