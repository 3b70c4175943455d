/** Fills the auth context: session from supabase-js, profile from the query cache. */
import type { User } from '@supabase/supabase-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'

import { AuthContext, type AuthState } from '@/data/auth-context'
import { profileQuery } from '@/data/profiles'
import { onUserChange } from '@/data/session'

export function AuthProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  // undefined: the stored session has not been read yet.
  const [user, setUser] = useState<User | null | undefined>()
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: Boolean(user) })

  useEffect(
    () =>
      onUserChange((next) => {
        // Nothing of one person may be left for the next one in this browser.
        if (!next) client.clear()
        setUser((known) =>
          known && next && known.id === next.id && known.updated_at === next.updated_at ? known : next,
        )
      }),
    [client],
  )

  const { data, error, isPending, refetch } = profile
  const state = useMemo<AuthState>(
    () => ({
      user: user ?? null,
      profile: (user && data) ?? null,
      isLoading: user === undefined || (user !== null && isPending),
      profileError: user ? error : null,
      reloadProfile: () => void refetch(),
    }),
    [user, data, error, isPending, refetch],
  )
  return <AuthContext value={state}>{children}</AuthContext>
}
