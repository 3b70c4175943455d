/** The product session id: random, kept in session storage, tied to no person (TRACK-04). */
import { session } from '@/lib/storage'

const KEY = 'session_id'

export function productSessionId(): string {
  const stored = session.getItem(KEY)
  if (stored) return stored
  // randomUUID needs a secure context, which a phone on the local network is not.
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
  session.setItem(KEY, id)
  return id
}

/** The next id says nothing of this one. */
export const forgetProductSession = (): void => session.removeItem(KEY)
