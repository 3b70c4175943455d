/** Who is signed in, for every component: the auth state of spec section 3. app/auth-provider fills it. */
import type { User } from '@supabase/supabase-js'
import { createContext, use } from 'react'

import type { Profile } from '@/data/profiles'

export type AuthState = {
  user: User | null
  /** Null while signed out, and while the server did not give it (see `profileError`). */
  profile: Profile | null
  /** True until the stored session is read and, for a signed-in user, the profile has been asked for. */
  isLoading: boolean
  profileError: Error | null
  reloadProfile: () => void
}

export const AuthContext = createContext<AuthState | null>(null)

export function useAuth(): AuthState {
  const state = use(AuthContext)
  if (!state) throw new Error('useAuth needs an <AuthProvider> above it')
  return state
}
