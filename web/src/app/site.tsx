/** The public site for visitors without a session: the same pages and the same shell as in the app, without its weight. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { type RouteObject, useLocation, useRoutes } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'
import { Layout } from '@/app/layout'
import { ScrollToTop } from '@/app/scroll-to-top'
import { siteRoute } from '@/app/site-page'
import { notFoundPage, sitePages } from '@/app/site-pages'
import { PageSpinner } from '@/components/page-spinner'
import { AuthContext, guest } from '@/data/auth-context'
import { firstInteraction } from '@/lib/first-interaction'
import { useResolvedTheme } from '@/lib/theme'

const Toaster = lazy(async () => ({ default: (await import('@/components/ui/sonner')).Toaster }))

type Props = {
  /** Whether this address belongs to nobody: the server has answered it with the page of the 404. */
  isNowhere: boolean
  /** Takes over with the whole app, at whatever address the browser now has. @throws Error when its code is lost */
  startApp: () => Promise<void>
}

/** To be rendered inside a router. */
export function Site({ isNowhere, startApp }: Props) {
  const { pathname } = useLocation()
  const [firstPathname] = useState(pathname)
  const isStillNowhere = isNowhere && pathname === firstPathname
  return (
    <AuthContext value={guest}>
      <ErrorBoundary resetKey={pathname}>
        <Routes rest={isStillNowhere ? siteRoute(notFoundPage).element : <Leave startApp={startApp} />} />
        <ScrollToTop key={pathname} />
      </ErrorBoundary>
      <LateToaster />
    </AuthContext>
  )
}

const pages: RouteObject[] = sitePages.map(siteRoute)

function Routes({ rest }: { rest: ReactNode }) {
  return useRoutes([{ element: <Layout />, children: [...pages, { path: '*', element: rest }] }])
}

/** A link has led out of the site, into the app. */
function Leave({ startApp }: Pick<Props, 'startApp'>) {
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    startApp().catch(setFailure)
  }, [startApp])
  if (failure) throw failure
  return <PageSpinner text="Caricamento pagina..." />
}

/** Has nothing to say before somebody does something; what is said while its code is under way, sonner keeps for it. */
function LateToaster() {
  const theme = useResolvedTheme()
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    void firstInteraction().then(() => setDue(true))
  }, [])
  return <Suspense>{isDue && <Toaster theme={theme} />}</Suspense>
}
