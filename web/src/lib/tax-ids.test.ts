import { describe, expect, test } from 'vitest'

import * as taxIds from '@/lib/tax-ids'

import vectors from '../../../tests/vectors/tax_ids.json'

const checks = {
  vat_number: taxIds.vatNumber,
  tax_code: taxIds.taxCode,
  any_tax_code: taxIds.anyTaxCode,
  sdi_code: taxIds.sdiCode,
  pec: taxIds.pecAddress,
  postal_code: taxIds.postalCode,
  ateco: taxIds.ateco,
} as const

describe.each(Object.entries(checks))('%s', (name, check) => {
  const { valid, invalid } = vectors[name as keyof typeof checks]

  test.each(Object.entries(valid))('%j is %s', (typed, normalised) => {
    expect(check(typed)).toBe(normalised)
  })

  test.each([...invalid, ''])('%j is refused', (typed) => {
    expect(check(typed)).toBeNull()
  })
})

test('a partita IVA of an office that we do not know is valid, and can be told from the others', () => {
  const { valid, unknown_office } = vectors.vat_number
  const unknown = Object.values(valid).filter((number) => !taxIds.hasKnownOffice(number))
  expect(unknown).toEqual(unknown_office)
})

test('an office of the public administration has a code of six characters', () => {
  expect(taxIds.recipientCode(' ufABC1 ')).toBe('UFABC1')
  expect(taxIds.recipientCode('M5UXCR1')).toBe('M5UXCR1')
  expect(taxIds.recipientCode('M5UXC')).toBeNull()
})
