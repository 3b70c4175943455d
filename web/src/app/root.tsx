/** Wraps every route: scroll position and the last line of defence against rendering errors. */
import { useEffect } from 'react'
import { Outlet, useLocation, useNavigationType } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'

export function Root() {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname}>
      <Outlet />
      <ScrollToTop key={pathname} />
    </ErrorBoundary>
  )
}

/** A new page starts at its top; back and forward are the browser's, which remembers where the person was. */
function ScrollToTop() {
  const navigation = useNavigationType()
  useEffect(() => {
    if (navigation !== 'POP') window.scrollTo(0, 0)
  }, [navigation])
  return null
}
