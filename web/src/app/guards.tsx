/** Layout routes that let a person through, or send them where they belong (GUARD-01 to GUARD-07). */
import { useQuery } from '@tanstack/react-query'
import { ShieldCheckIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'

import { lazyPage } from '@/app/lazy-page'
import { PageMessage } from '@/components/page-message'
import { PageSpinner } from '@/components/page-spinner'
import { SignInFirst } from '@/components/sign-in-first'
import { useAuth } from '@/data/auth-context'
import { type Role, roleQuery } from '@/data/roles'
import { forgetReturn, rememberPerson, returnPath } from '@/lib/return-path'
import { paths } from '@/paths'

const deletionWaits = lazyPage(() => import('@/features/deletion/deletion-waits'))

/**
 * Guests go to /login and from there back, people whose second factor is missing to its question, those in onboarding
 * back to it, and those whose account waits for its deletion to the page that says so.
 */
export function RequireUser() {
  const { user, halfway, profile, isLoading } = useAuth()
  const { pathname, search, hash } = useLocation()
  const userId = user?.id
  const isHere = userId !== undefined
  // Whoever logs out here does not come back, and least of all does the next one.
  const [wasHere, setWasHere] = useState(false)
  if (isHere && !wasHere) setWasHere(true)
  useEffect(() => {
    if (userId === undefined) return
    forgetReturn()
    rememberPerson(userId)
  }, [userId])

  if (isLoading) return <PageSpinner />
  if (halfway) return <Navigate to={paths.secondFactor} replace />
  if (!user) {
    return wasHere ? <Navigate to={paths.login} replace /> : <SignInFirst path={`${pathname}${search}${hash}`} />
  }
  // Their data may still be taken along.
  if (profile?.deletion_due_at && pathname !== paths.settingsData) return deletionWaits
  if (profile?.onboarding_completed === false && pathname !== paths.onboarding) {
    return <Navigate to={paths.onboarding} replace />
  }
  return <Outlet />
}

/** Login, register and forgot password are for people who are not signed in. */
export function RequireGuest() {
  const { user, halfway, isLoading } = useAuth()
  // A sign-in under way keeps the form mounted: only a known user leaves.
  if (isLoading && !user) return <PageSpinner />
  if (halfway) return <Navigate to={paths.secondFactor} replace />
  if (user) return <Navigate to={returnPath(paths.landing)} replace />
  return <Outlet />
}

/** Who may do more than others must have proved more: a role counts together with a second factor only. */
export function RequireRole({ role }: { role: Role }) {
  const { user, level } = useAuth()
  const check = useQuery({ ...roleQuery(user?.id ?? '', role), enabled: Boolean(user) })
  if (check.isPending) return <PageSpinner />
  if (!check.data) {
    return (
      <PageMessage
        title="Accesso Negato"
        text="Non hai i permessi per accedere a questa pagina."
        action={{ label: 'Torna alla Home', to: paths.home }}
      />
    )
  }
  if (level !== 'aal2') {
    return (
      <PageMessage
        icon={ShieldCheckIcon}
        title="Serve il secondo fattore"
        text="L’area di amministrazione si apre solo con la verifica in due passaggi. Attivala nella pagina Sicurezza: bastano due minuti e un’app sul telefono."
        action={{ label: 'Vai a Sicurezza', to: paths.settingsSecurity }}
      />
    )
  }
  return <Outlet />
}
