import { expect, test, vi } from 'vitest'

import { consentOf, noConsent } from '@/features/crm-import/consent-question'

const given = () => ({ ...noConsent(), hasConsent: true, source: 'Modulo sul sito' })

test('a consent has the day on which it was given, today unless told otherwise, and never one to come', () => {
  vi.setSystemTime('2026-11-22T13:00:00Z')
  expect(consentOf(given())).toMatchObject({ at: '2026-11-21T23:00:00.000Z' })
  expect(consentOf({ ...given(), day: '2024-07-01' })).toMatchObject({
    at: '2024-06-30T22:00:00.000Z',
  })
  expect(consentOf({ ...given(), day: '2026-11-23' })).toBe('incomplete')
  expect(consentOf({ ...given(), day: '' })).toBe('incomplete')
})

test('no consent is noted unless somebody says so', () => {
  expect(consentOf(noConsent())).toBeNull()
})
