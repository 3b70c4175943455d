import { describe, expect, test } from 'vitest'

import type { Billing } from '@/data/checkout'
import { billingSchema, initialValues, toBilling } from '@/features/store/billing-values'

import { makeProfile } from '../../../test/profile'

import vectors from '../../../../tests/vectors/tax_ids.json'

const filled = (billing: object) => ({ ...initialValues(billing as Billing, null), consent: true })

describe('billing data', () => {
  test.each(vectors.billing.valid)('$kind $name is accepted and sent as it is', (billing) => {
    const values = filled(billing)
    expect(billingSchema.safeParse(values).error).toBeUndefined()
    expect(toBilling(values)).toEqual({ ...billing, province: billing.province.toUpperCase() })
  })

  test.each(Object.entries(vectors.billing.invalid))('a wrong %s is shown at its field', (field, billing) => {
    const { error } = billingSchema.safeParse(filled(billing))
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field])
  })

  test('every wrong field is told at once', () => {
    const { error } = billingSchema.safeParse({ ...initialValues(null, null), kind: 'azienda', pec: 'x' })
    const fields = error?.issues.map(({ path }) => path.join('.')).toSorted()
    const wanted = ['address', 'city', 'consent', 'name', 'pec', 'postal_code', 'province', 'vat_number']
    expect(fields).toEqual(wanted)
  })

  test('without the confirmation nothing is sent', () => {
    const { error } = billingSchema.safeParse({ ...filled(vectors.billing.valid[0] ?? {}), consent: false })
    expect(error?.issues[0]?.message).toBe('Per continuare serve la tua conferma')
  })

  test('what was written for a company stays out of the invoice of a person', () => {
    const [person, company] = vectors.billing.valid
    expect(toBilling({ ...filled({ ...company, ...person }), kind: 'persona' })).toEqual(person)
  })

  test('a codice fiscale of eleven digits is sent as it was typed, but no person has one', () => {
    const [person, company] = vectors.billing.valid
    const values = filled({ ...company, tax_code: '80078750587' })
    expect(billingSchema.safeParse(values).error).toBeUndefined()
    expect(toBilling(values)).toHaveProperty('tax_code', '80078750587')
    const { error } = billingSchema.safeParse(filled({ ...person, tax_code: '80078750587' }))
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['tax_code'])
  })

  test('the first order of a business starts with its data, which can be paid for as they are', () => {
    const profile = makeProfile({
      full_name: 'Anna Verdi',
      business_name: 'Studio Verdi',
      vat_number: '09876540155',
      pec: 'studio@pec.example',
      address: { street: 'Via Po 3', postal_code: '40121', city: 'Bologna', province: 'BO' },
    })
    const values = initialValues(null, profile)
    expect(values).toMatchObject({ kind: 'azienda', name: 'Studio Verdi', address: 'Via Po 3', city: 'Bologna' })
    expect(billingSchema.safeParse({ ...values, consent: true }).error).toBeUndefined()
  })

  test('the first order starts with the name of the profile', () => {
    const profile = makeProfile({ full_name: 'Anna Verdi' })
    expect(initialValues(null, profile)).toMatchObject({ kind: 'persona', name: 'Anna Verdi', consent: false })
  })
})
