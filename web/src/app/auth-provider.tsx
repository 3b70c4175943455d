/** Fills the auth context: session from supabase-js, profile from the query cache. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'

import { AuthContext, type AuthState } from '@/data/auth-context'
import { homeQuery } from '@/data/home'
import { profileQuery } from '@/data/profiles'
import { onPersonGone, onSessionChange, type SessionState } from '@/data/session'
import { paths } from '@/paths'

/** Events repeat what is known whenever a tab is looked at: the same content keeps its identity. */
const unlessSame =
  (next: SessionState | null) =>
  (known: SessionState | null | undefined): SessionState | null =>
    known && JSON.stringify(known) === JSON.stringify(next) ? known : next

export function AuthProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  // undefined: the stored session has not been read yet.
  const [session, setSession] = useState<SessionState | null | undefined>()
  const user = (!session?.needsSecondFactor && session?.user) || null
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: Boolean(user) })

  useEffect(() => {
    // Nothing of one person may be left for the next one in this browser.
    const stops = [onPersonGone(() => client.clear()), onSessionChange((next) => setSession(unlessSame(next)))]
    return () => stops.forEach((stop) => stop())
  }, [client])

  const userId = user?.id
  useEffect(() => {
    // The page that is opened daily: its one answer comes together with the profile, not after it.
    if (userId && window.location.pathname === paths.home) void client.prefetchQuery(homeQuery(userId))
  }, [client, userId])

  const { data, error, isPending, refetch } = profile
  const state = useMemo<AuthState>(
    () => ({
      user,
      halfway: (session?.needsSecondFactor && session.user) || null,
      level: session?.level ?? null,
      isRecovered: session?.isRecovered ?? false,
      profile: (user && data) ?? null,
      // Without a network nobody waits for a profile.
      isLoading: session === undefined || (user !== null && isPending && navigator.onLine),
      profileError: user ? error : null,
      reloadProfile: () => void refetch(),
    }),
    [session, user, data, error, isPending, refetch],
  )
  return <AuthContext value={state}>{children}</AuthContext>
}
