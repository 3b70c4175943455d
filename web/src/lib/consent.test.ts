import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'

import { askForConsent, onConsentRequest, readConsent, storeConsent, useConsent } from '@/lib/consent'
import { productSessionId } from '@/lib/product-session'

const DAY_MS = 24 * 60 * 60 * 1000

afterEach(() => {
  delete window.gtag
})

test('before an answer there is none', () => {
  expect(readConsent()).toBeNull()
  expect(localStorage).toHaveLength(0)
})

test('a browser that asks not to be followed is a no, until its person agrees here', () => {
  vi.stubGlobal('navigator', { globalPrivacyControl: true })
  expect(readConsent()).toBe('rejected')
  expect(localStorage).toHaveLength(0)
  storeConsent('accepted')
  expect(readConsent()).toBe('accepted')
  vi.unstubAllGlobals()
})

test.each([
  ['accepted', 'granted'],
  ['rejected', 'denied'],
] as const)('%s is kept with its time, and the tag hears that storage is %s', (answer, storage) => {
  window.gtag = vi.fn<NonNullable<typeof window.gtag>>()
  storeConsent(answer)
  expect(readConsent()).toBe(answer)
  expect(localStorage.getItem('cookie_consent')).toBe(answer)
  expect(localStorage.getItem('cookie_consent_date')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(window.gtag).toHaveBeenCalledExactlyOnceWith('consent', 'update', { analytics_storage: storage })
})

test('a refusal after an agreement leaves neither pseudonym nor session in the tab', () => {
  storeConsent('accepted')
  sessionStorage.setItem('ip_hash', '0123456789abcdef')
  const before = productSessionId()
  storeConsent('rejected')
  expect(sessionStorage).toHaveLength(0)
  expect(productSessionId()).not.toBe(before)
  sessionStorage.clear()
})

test.each([
  [364, 'accepted'],
  [366, null],
])('after %i days the answer is %s', (days, answer) => {
  storeConsent('accepted')
  localStorage.setItem('cookie_consent_date', new Date(Date.now() - days * DAY_MS).toISOString())
  expect(readConsent()).toBe(answer)
})

test('an answer without a time, or one that nobody can have given, counts as none', () => {
  localStorage.setItem('cookie_consent', 'accepted')
  expect(readConsent()).toBeNull()
  storeConsent('accepted')
  localStorage.setItem('cookie_consent', 'forse')
  expect(readConsent()).toBeNull()
})

test('components follow, also when another tab answered', () => {
  const { result } = renderHook(() => useConsent())
  expect(result.current).toBeNull()
  act(() => storeConsent('accepted'))
  expect(result.current).toBe('accepted')
  act(() => {
    localStorage.setItem('cookie_consent', 'rejected')
    window.dispatchEvent(new StorageEvent('storage', { key: 'cookie_consent' }))
  })
  expect(result.current).toBe('rejected')
})

/** Keys reach the other tabs one by one; one that stays as it was is not told. */
function arrives(key: string, value: string) {
  if (localStorage.getItem(key) === value) return
  localStorage.setItem(key, value)
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key })))
}

test.each([
  ['the first answer', null],
  ['the same answer, a year later', '2020-01-01T00:00:00Z'],
])('%s of another tab counts once its date is here', (_which, date) => {
  if (date) {
    localStorage.setItem('cookie_consent', 'accepted')
    localStorage.setItem('cookie_consent_date', date)
  }
  const { result } = renderHook(() => useConsent())
  arrives('cookie_consent', 'accepted')
  expect(result.current).toBeNull()
  arrives('cookie_consent_date', new Date().toISOString())
  expect(result.current).toBe('accepted')
})

test('who listens is asked to show the question again', () => {
  const shown = vi.fn<() => void>()
  const stop = onConsentRequest(shown)
  askForConsent()
  stop()
  askForConsent()
  expect(shown).toHaveBeenCalledOnce()
})
