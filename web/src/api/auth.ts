/**
 * The calls to the auth service (LOGIN-10). Each returns when the server accepted.
 *
 * @throws AuthError of supabase-js otherwise; strings/auth-errors.ts turns it into a sentence.
 */
import { type EmailOtpType, isAuthRetryableFetchError, type Provider, type Session } from '@supabase/supabase-js'

import type { PlanId } from '@/data/catalog'
import { accepted, done } from '@/data/gotrue'
import { leavePush } from '@/data/push-devices'
import { stateOf } from '@/data/session'
import { forgetPerson } from '@/lib/personal-keys'
import { dropAllShared } from '@/lib/shared-pieces'
import { supabase } from '@/lib/supabase'
import { paths } from '@/paths'

export const absolute = (path: string): string => new URL(path, window.location.origin).href

/** Where a sign-in has got to: in, or at the question for the second factor. */
export type SignedIn = { needsSecondFactor: boolean }

function signedIn(session: Session | null): SignedIn {
  return { needsSecondFactor: session !== null && stateOf(session).needsSecondFactor }
}

export async function signIn(credentials: { email: string; password: string }): Promise<SignedIn> {
  return signedIn(accepted(await supabase.auth.signInWithPassword(credentials)).session)
}

/** The browser asks which passkey; nobody types an address. */
export async function signInWithPasskey(): Promise<SignedIn> {
  return signedIn(accepted(await supabase.auth.signInWithPasskey()).session)
}

/** Leaves the page for the provider, which sends the person back to the login. */
export async function signInWithProvider(provider: Provider): Promise<void> {
  done(await supabase.auth.signInWithOAuth({ provider, options: { redirectTo: absolute(paths.login) } }))
}

type Registration = { email: string; password: string; fullName: string; chosenPlan: PlanId | null }

export async function signUp({ email, password, fullName, chosenPlan }: Registration): Promise<void> {
  const data = { full_name: fullName, ...(chosenPlan && { chosen_plan: chosenPlan }) }
  done(await supabase.auth.signUp({ email, password, options: { emailRedirectTo: absolute(paths.landing), data } }))
}

/**
 * Ends the session of this browser, in all its tabs; other devices stay signed in.
 *
 * @returns whether the server has heard of it: where it is away only this browser forgets the session
 */
export async function signOut(userId: string): Promise<boolean> {
  forgetPerson(userId)
  await Promise.allSettled([leavePush(userId), dropAllShared()])
  const { error } = await supabase.auth.signOut({ scope: 'local' })
  if (!error) return true
  // auth-js takes the session out of the browser first, and then tells the server.
  const { data } = await supabase.auth.getSession()
  if (data.session || !isAuthRetryableFetchError(error)) throw error
  return false
}

/** Notes that the person has read what becomes of the plan that they chose. */
export async function planWasTold(): Promise<void> {
  done(await supabase.auth.updateUser({ data: { is_plan_told: true } }))
}

export async function requestPasswordReset(email: string): Promise<void> {
  done(await supabase.auth.resetPasswordForEmail(email, { redirectTo: absolute(paths.resetPassword) }))
}

/**
 * Consumes the token of an e-mail link; from then on the browser is signed in.
 *
 * @returns null after the first half of an e-mail change: the other address must confirm too, nobody is signed in.
 */
export async function verifyEmailLink(tokenHash: string, type: EmailOtpType): Promise<SignedIn | null> {
  const { session } = accepted(await supabase.auth.verifyOtp({ token_hash: tokenHash, type }))
  return session && signedIn(session)
}

/** The same with the six digits of the e-mail. */
export async function verifyEmailCode(email: string, token: string, type: EmailOtpType): Promise<SignedIn | null> {
  const { session } = accepted(await supabase.auth.verifyOtp({ email, token, type }))
  return session && signedIn(session)
}

export async function resendConfirmation(email: string): Promise<void> {
  done(await supabase.auth.resend({ type: 'signup', email, options: { emailRedirectTo: absolute(paths.landing) } }))
}

/** `current_password` and `nonce` only when the server has asked for them. */
export async function updatePassword(change: {
  password: string
  current_password?: string
  nonce?: string
}): Promise<void> {
  done(await supabase.auth.updateUser(change))
}

/** Mails a code by which somebody whose sign-in is long ago proves that it is still them. */
export async function requestReauthentication(): Promise<void> {
  done(await supabase.auth.reauthenticate())
}

/** Mails to the old and the new address; the change counts when both have confirmed. */
export async function changeEmail(email: string): Promise<void> {
  done(await supabase.auth.updateUser({ email }, { emailRedirectTo: absolute(paths.settingsProfile) }))
}

/** The same mails again; the account is named by the address it has now. */
export async function resendEmailChange(email: string): Promise<void> {
  done(
    await supabase.auth.resend({
      type: 'email_change',
      email,
      options: { emailRedirectTo: absolute(paths.settingsProfile) },
    }),
  )
}
