/**
 * What the visitor said about analytics (SITE-17): the only reader and writer of `cookie_consent`.
 *
 * An answer holds for 365 days (SITE-19); after that, and without one, nothing is allowed. Global Privacy Control (the
 * `Sec-GPC` header of the browser) is a no for whoever did not answer here: they are not asked.
 */
import { useSyncExternalStore } from 'react'

import { forgetProductSession } from '@/lib/product-session'
import { local, session } from '@/lib/storage'

export type Consent = 'accepted' | 'rejected'

declare global {
  interface Navigator {
    /** https://www.w3.org/TR/gpc/ */
    readonly globalPrivacyControl?: boolean
  }
  interface Window {
    /** The analytics tag, where a site has one. */
    gtag?: (command: 'consent', action: 'update', change: { analytics_storage: 'granted' | 'denied' }) => void
  }
}

const KEY = 'cookie_consent'
/** The pseudonym of the address, which only who agreed has (data/analytics). */
export const IP_HASH_KEY = 'ip_hash'
const DATE_KEY = 'cookie_consent_date'
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000

const listeners = new Set<() => void>()

/** Whether the browser says no for its person. */
export const isSignalled = (): boolean => navigator.globalPrivacyControl === true

/** The stored answer, else that of the browser; null when there is none, or when it is older than a year. */
export function readConsent(): Consent | null {
  const stored = local.getItem(KEY)
  const age = Date.now() - Date.parse(local.getItem(DATE_KEY) ?? '')
  const isValid = (stored === 'accepted' || stored === 'rejected') && age <= LIFETIME_MS
  if (isValid) return stored
  return isSignalled() ? 'rejected' : null
}

/** Keeps the answer with its time and passes it on to the analytics tag; a refusal ends what was agreed before. */
export function storeConsent(consent: Consent): void {
  local.setItem(KEY, consent)
  local.setItem(DATE_KEY, new Date().toISOString())
  if (consent === 'rejected') {
    session.removeItem(IP_HASH_KEY)
    forgetProductSession()
  }
  window.gtag?.('consent', 'update', { analytics_storage: consent === 'accepted' ? 'granted' : 'denied' })
  for (const listener of listeners) listener()
}

/** Calls `listener` after every answer, here or in another tab; returns the way to stop. */
function onConsentChange(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    // The date comes after the answer, and alone when the answer is the same one again; without it none counts.
    if (key === KEY || key === DATE_KEY || key === null) listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}

const unknown = () => undefined

/** The stored answer, null without one; undefined in prerendered HTML, where nobody has been asked. */
export function useConsent(): Consent | null | undefined {
  return useSyncExternalStore<Consent | null | undefined>(onConsentChange, readConsent, unknown)
}

const requests = new Set<() => void>()

/** Opens the banner again, for somebody who wants to see or change the answer. */
export function askForConsent(): void {
  for (const listener of requests) listener()
}

/** Calls `listener` at every `askForConsent`; returns the way to stop. */
export function onConsentRequest(listener: () => void): () => void {
  requests.add(listener)
  return () => requests.delete(listener)
}
