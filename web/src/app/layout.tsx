/** The shell of every screen except onboarding: top bar, main area, bottom navigation for signed-in people. */
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { Outlet, useLocation } from 'react-router'

import { ErrorBoundary } from '@/app/error-boundary'
import { sitePageAt } from '@/app/site-pages'
import { CookieBanner } from '@/components/cookie-banner'
import { useAuth } from '@/data/auth-context'
import { ConnectionNotice } from '@/features/layout/connection-notice'
import { TopBar } from '@/features/layout/top-bar'
import { laterPart } from '@/lib/later-part'
import { uninvited } from '@/lib/uninvited'

// Visitors never load what only signed-in people see.
const BottomNavigation = uninvited(async () => ({
  default: (await import('@/features/layout/bottom-navigation')).BottomNavigation,
}))

const LimitNotice = uninvited(async () => ({
  default: (await import('@/features/layout/limit-notice')).LimitNotice,
}))

const OutboxLine = uninvited(() => import('@/features/layout/outbox-line'))

const footer = laterPart(
  import.meta.env.SSR && (await import('@/components/site-footer')).SiteFooter,
  async () => (await import('@/components/site-footer')).SiteFooter,
)

export function Layout() {
  const { user, profile } = useAuth()
  const { pathname } = useLocation()
  return (
    <>
      <a
        href="#contenuto"
        className="sr-only z-50 rounded-md bg-card px-4 py-3 focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:left-2"
      >
        Vai al contenuto
      </a>
      <CookieBanner />
      <TopBar />
      <ConnectionNotice />
      {profile?.limited_since && (
        <Suspense>
          <LimitNotice />
        </Suspense>
      )}
      {user && (
        <Suspense>
          <OutboxLine key={user.id} userId={user.id} />
        </Suspense>
      )}
      {/* The lower padding keeps the last line clear of the fixed navigation. */}
      <div className={clsx(user && 'pb-[calc(5.5rem+env(safe-area-inset-bottom))] lg:pb-28')}>
        <main id="contenuto" tabIndex={-1} className="outline-none">
          <ErrorBoundary resetKey={pathname}>
            <Outlet />
          </ErrorBoundary>
        </main>
        {sitePageAt(pathname) && footer}
      </div>
      {user && (
        <Suspense>
          <BottomNavigation />
        </Suspense>
      )}
    </>
  )
}
