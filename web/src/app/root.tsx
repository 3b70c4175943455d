/** Wraps every route: scroll position, what a link of a mail or a provider brings, the last line of defence against rendering errors. */
import { Suspense, useEffect } from 'react'
import { Outlet, useLocation, useNavigate } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'
import { ScrollToTop } from '@/app/scroll-to-top'
import { onPasswordRecovery } from '@/data/session'
import { redirectFailure } from '@/lib/redirect-failure'
import { uninvited } from '@/lib/uninvited'
import { paths } from '@/paths'

const RedirectNotice = uninvited(async () => ({
  default: (await import('@/components/redirect-notice')).RedirectNotice,
}))

export function Root() {
  const location = useLocation()
  const { pathname } = location
  // The page of the new password tells it by itself, and stays.
  const hasFailed = pathname !== paths.resetPassword && redirectFailure(location) !== null
  return (
    <ErrorBoundary resetKey={pathname}>
      <Outlet />
      <ScrollToTop key={pathname} />
      <RecoveryWatch />
      <Suspense>{hasFailed && <RedirectNotice />}</Suspense>
    </ErrorBoundary>
  )
}

/** Wherever a recovery link has led, the new password is what its reader came for. */
function RecoveryWatch() {
  const navigate = useNavigate()
  useEffect(
    () =>
      onPasswordRecovery(() => {
        // The event reaches all tabs; only the one the person looks at follows it.
        if (document.visibilityState === 'visible') void navigate(paths.resetPassword, { replace: true })
      }),
    [navigate],
  )
  return null
}
