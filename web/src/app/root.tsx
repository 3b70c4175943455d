/** Wraps every route: scroll position, the way of a recovery link, the last line of defence against rendering errors. */
import { useEffect } from 'react'
import { Outlet, useLocation, useNavigate } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'
import { ScrollToTop } from '@/app/scroll-to-top'
import { onPasswordRecovery } from '@/data/session'
import { paths } from '@/paths'

export function Root() {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname}>
      <Outlet />
      <ScrollToTop key={pathname} />
      <RecoveryWatch />
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
