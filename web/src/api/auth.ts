/**
 * The calls to the auth service (spec section 7). Each returns when the server accepted.
 *
 * @throws AuthError of supabase-js otherwise; strings/auth-errors.ts turns it into a sentence.
 */
import type { AuthError, EmailOtpType } from '@supabase/supabase-js'

import { supabase } from '@/lib/supabase'
import { paths } from '@/paths'

function accepted({ error }: { error: AuthError | null }): void {
  if (error) throw error
}

const absolute = (path: string): string => new URL(path, window.location.origin).href

export async function signIn(credentials: { email: string; password: string }): Promise<void> {
  accepted(await supabase.auth.signInWithPassword(credentials))
}

export async function signUp(registration: { email: string; password: string; fullName: string }): Promise<void> {
  accepted(
    await supabase.auth.signUp({
      email: registration.email,
      password: registration.password,
      options: { emailRedirectTo: absolute(paths.landing), data: { full_name: registration.fullName } },
    }),
  )
}

/** Ends the session of this browser, in all its tabs; other devices stay signed in. */
export async function signOut(): Promise<void> {
  accepted(await supabase.auth.signOut({ scope: 'local' }))
}

export async function requestPasswordReset(email: string): Promise<void> {
  accepted(await supabase.auth.resetPasswordForEmail(email, { redirectTo: absolute(paths.resetPassword) }))
}

/**
 * Consumes the token of an e-mail link; from then on the browser is signed in.
 *
 * @returns false after the first half of an e-mail change: the other address must confirm too, nobody is signed in.
 */
export async function verifyEmailLink(tokenHash: string, type: EmailOtpType): Promise<boolean> {
  const answer = await supabase.auth.verifyOtp({ token_hash: tokenHash, type })
  accepted(answer)
  return answer.data.session !== null
}

/** The same with the six digits of the e-mail. */
export async function verifyEmailCode(email: string, token: string, type: EmailOtpType): Promise<void> {
  accepted(await supabase.auth.verifyOtp({ email, token, type }))
}

export async function resendConfirmation(email: string): Promise<void> {
  accepted(await supabase.auth.resend({ type: 'signup', email, options: { emailRedirectTo: absolute(paths.landing) } }))
}

export async function updatePassword(password: string): Promise<void> {
  accepted(await supabase.auth.updateUser({ password }))
}
