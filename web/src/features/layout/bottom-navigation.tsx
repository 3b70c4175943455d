/** Fixed to the lower edge; from 1024 px a centred floating dock (LOOK-05). Signed-in people only. */
import { NavLink, useLocation } from 'react-router'

import { navigation } from '@/features/layout/navigation'
import { cn } from '@/lib/cn'

export function BottomNavigation() {
  const { pathname } = useLocation()
  return (
    <nav
      aria-label="Principale"
      className="fixed inset-x-0 bottom-0 z-40 print:hidden border-t bg-card pb-[env(safe-area-inset-bottom)] lg:inset-x-auto lg:bottom-5 lg:left-1/2 lg:-translate-x-1/2 lg:rounded-xl lg:border lg:p-1.5 lg:shadow-float"
    >
      <ul className="mx-auto grid max-w-xl grid-cols-6 lg:flex lg:gap-1">
        {navigation.map(({ label, to, icon: Icon, alsoAt, tour }) => (
          <li key={to}>
            <NavLink
              to={to}
              data-tour={tour}
              {...(pathname === alsoAt ? { 'aria-current': 'page' as const } : {})}
              className={({ isActive }) =>
                cn(
                  'flex h-14 flex-col items-center justify-center gap-0.5 text-xs font-medium text-muted-foreground transition-colors hover:text-foreground focus-visible:-outline-offset-2 lg:h-12 lg:w-20 lg:rounded-md lg:hover:bg-muted',
                  (isActive || pathname === alsoAt) &&
                    'text-primary hover:text-primary lg:bg-secondary lg:text-secondary-foreground lg:hover:bg-secondary',
                )
              }
            >
              <Icon aria-hidden className="size-5" />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
