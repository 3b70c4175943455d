/** The auth state for every component: user, profile and loading (LOGIN-14). app/auth-provider fills it. */
import type { User } from '@supabase/supabase-js'
import { createContext, use } from 'react'

import type { Profile } from '@/data/profiles'
import type { AssuranceLevel } from '@/data/session'

export type AuthState = {
  user: User | null
  /** Somebody whose password was right and whose second factor is still missing; `user` is null meanwhile. */
  halfway: User | null
  /** How the session was proved; null while signed out. */
  level: AssuranceLevel | null
  /** The second factor of this session was a recovery code. */
  isRecovered: boolean
  /** Null while signed out, and while the server did not give it (see `profileError`). */
  profile: Profile | null
  /** True until the stored session is read and, for a signed-in user, the profile has been asked for. */
  isLoading: boolean
  profileError: Error | null
  reloadProfile: () => void
}

/** Nobody is signed in, and nothing has to be waited for to know it. */
export const guest: AuthState = {
  user: null,
  halfway: null,
  level: null,
  isRecovered: false,
  profile: null,
  isLoading: false,
  profileError: null,
  reloadProfile: () => undefined,
}

export const AuthContext = createContext<AuthState | null>(null)

export function useAuth(): AuthState {
  const state = use(AuthContext)
  if (!state) throw new Error('useAuth needs an <AuthProvider> above it')
  return state
}

/** The signed-in user of a page behind RequireUser. */
export function useUser(): User {
  const { user } = useAuth()
  if (!user) throw new Error('useUser needs a <RequireUser> above it')
  return user
}
