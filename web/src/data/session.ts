/** The auth session as the rest of the client needs it. */
import { isAuthApiError, isAuthError, isAuthSessionMissingError, type Session, type User } from '@supabase/supabase-js'

import { forgetPerson } from '@/lib/personal-keys'
import { unsubscribe } from '@/lib/push'
import { rememberReturn } from '@/lib/return-path'
import { DataError } from '@/lib/server-errors'
import { local } from '@/lib/storage'
import { storageKey, storedUserId } from '@/lib/stored-session'
import { supabase } from '@/lib/supabase'
import { claimsIn } from '@/lib/token-claims'

/** aal1: password, link, provider or passkey; aal2: a second factor took part too. */
export type AssuranceLevel = 'aal1' | 'aal2'

export type SessionState = {
  user: User
  level: AssuranceLevel
  needsSecondFactor: boolean
  /** The second factor of this session was a recovery code: the real one is probably lost. */
  isRecovered: boolean
}

// What the claim amr calls them (AUTH-06).
const SECOND_FACTORS = ['totp', 'mfa/phone', 'mfa/webauthn']

/** The signed-in user, from the stored session. @throws Error 'Not authenticated' (LOGIN-15). */
export async function currentUser(): Promise<User> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) throw new Error('Not authenticated')
  return data.session.user
}

/** What the session says by itself: the rule of auth-js's getAuthenticatorAssuranceLevel, without waiting. */
export function stateOf({ user, access_token }: Session): SessionState {
  const { aal, amr = [] } = claimsIn(access_token)
  const level = aal === 'aal2' ? 'aal2' : 'aal1'
  const used = new Set(amr.map(({ method }) => method))
  const hasFactor = user.factors?.some((factor) => factor.status === 'verified') ?? false
  return {
    user,
    level,
    needsSecondFactor: hasFactor && level === 'aal1',
    isRecovered: used.has('mfa/recovery_code') && !SECOND_FACTORS.some((method) => used.has(method)),
  }
}

/** The session as it was left in this browser, expired or not. */
const storedSession = () => JSON.parse(local.getItem(storageKey()) ?? 'null') as Session | null

/**
 * Calls `listener` at once and after every change, in this tab or another: signed in or out, token refreshed, user
 * updated, password recovery, MFA challenge verified (LOGIN-13). Returns the way to stop.
 *
 * Without a network the stored session counts although it has expired: auth-js tries to renew it for half a minute, and
 * then says that there is none. One that the server has refused is no longer stored.
 */
export function onSessionChange(listener: (state: SessionState | null) => void): () => void {
  const stored = navigator.onLine ? null : storedSession()
  if (stored) listener(stateOf(stored))
  const { data } = supabase.auth.onAuthStateChange((event, session) => {
    const known = session ?? (event === 'INITIAL_SESSION' ? storedSession() : null)
    listener(known && stateOf(known))
  })
  return () => data.subscription.unsubscribe()
}

/** Calls `listener` when whoever was signed in here no longer is; returns the way to stop. */
export function onPersonGone(listener: () => void): () => void {
  let known: string | undefined
  return onSessionChange((state) => {
    const before = known
    known = state?.user.id
    if (before !== undefined && before !== known) listener()
  })
}

/** Calls `listener` when a recovery link has signed this person in: what they came for is a new password. */
export function onPasswordRecovery(listener: () => void): () => void {
  const { data } = supabase.auth.onAuthStateChange((event) => {
    if (event === 'PASSWORD_RECOVERY') listener()
  })
  return () => data.subscription.unsubscribe()
}

const closed = new EventTarget()

/** Calls `listener` when the server says that the session of this browser was ended elsewhere; returns the way to stop. */
export function onSessionClosed(listener: () => void): () => void {
  closed.addEventListener('closed', listener)
  return () => closed.removeEventListener('closed', listener)
}

// The codes of the auth service for a session that was ended elsewhere, or a token that no longer counts.
const REFUSALS = new Set(['session_not_found', 'bad_jwt', 'AuthSessionMissingError'])

/** Check whether the server refused a call because of the session. */
export const isSessionRefused = (error: Error): boolean =>
  error instanceof DataError ? error.status === 401 : isAuthError(error) && REFUSALS.has(error.code ?? error.name)

/**
 * Asks for new tokens: after the server refused the old ones, and after it changed what they say.
 *
 * A session that was ended elsewhere ends here too. auth-js alone would keep it until the access token expires, whose
 * clock knows nothing of that. Of the person nothing stays but where they were, for them alone. A limit or a server
 * that is away (429 and above, or no answer) decides nothing.
 */
export async function renewSession(): Promise<void> {
  const userId = storedUserId()
  const { pathname, search, hash } = window.location
  const { error } = await supabase.auth.refreshSession()
  // auth-js has a class of its own for the code session_not_found.
  const isRefused = isAuthSessionMissingError(error) || (isAuthApiError(error) && error.status <= 404)
  if (!isRefused) return
  await supabase.auth.signOut({ scope: 'local' })
  if (userId === null) return
  forgetPerson(userId)
  await unsubscribe(userId)
  rememberReturn(`${pathname}${search}${hash}`, userId)
  closed.dispatchEvent(new Event('closed'))
}
