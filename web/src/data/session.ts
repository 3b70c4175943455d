/** The auth session as the data modules need it. */
import type { User } from '@supabase/supabase-js'

import { supabase } from '@/lib/supabase'

/** The signed-in user, from the stored session. @throws Error 'Not authenticated' (spec section 7). */
export async function currentUser(): Promise<User> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) throw new Error('Not authenticated')
  return data.session.user
}

/** Calls `listener` with the user at once and after every change, in this tab or another; returns the way to stop. */
export function onUserChange(listener: (user: User | null) => void): () => void {
  const { data } = supabase.auth.onAuthStateChange((_event, session) => listener(session?.user ?? null))
  return () => data.subscription.unsubscribe()
}

/** Asks for a new access token after the server refused the stored one; a session that is over signs out by itself. */
export async function renewSession(): Promise<void> {
  await supabase.auth.refreshSession()
}
