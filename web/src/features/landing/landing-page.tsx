/** `/`: signed-in people go where they belong, visitors see what Socio is. */
import { Navigate } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageSpinner } from '@/components/page-spinner'
import { useAuth } from '@/data/auth-context'
import { Landing } from '@/features/landing/landing'
import { paths } from '@/paths'

export default function LandingPage() {
  const { user, halfway, profile, isLoading, profileError, reloadProfile } = useAuth()
  if (isLoading) return <PageSpinner />
  if (halfway) return <Navigate to={paths.secondFactor} replace />
  if (user && profileError && !profile) {
    return (
      <div className="column max-w-lg py-16">
        <LoadError text="Non riusciamo a leggere il tuo profilo in questo momento." onRetry={reloadProfile} />
      </div>
    )
  }
  if (user) return <Navigate to={profile?.onboarding_completed ? paths.home : paths.onboarding} replace />
  return <Landing />
}
