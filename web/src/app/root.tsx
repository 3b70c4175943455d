/** Wraps every route: scroll position and the last line of defence against rendering errors. */
import { Outlet, ScrollRestoration, useLocation } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'

export function Root() {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname}>
      <Outlet />
      <ScrollRestoration />
    </ErrorBoundary>
  )
}
