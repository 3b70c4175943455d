/** 56 px: logo, tagline from 768 px, then the person's tools, or the two doors for visitors. */
import { Suspense } from 'react'
import { Link } from 'react-router'

import { Logo } from '@/components/logo'
import { ThemeToggle } from '@/components/theme-toggle'
import { Button } from '@/components/ui/button'
import { useAuth } from '@/data/auth-context'
import { uninvited } from '@/lib/uninvited'
import { paths } from '@/paths'

const PersonTools = uninvited(() => import('@/features/layout/person-tools'))

export function TopBar() {
  const { user, halfway, isLoading } = useAuth()
  return (
    <header className="sticky top-0 z-40 border-b bg-background print:hidden">
      <div className="column flex h-14 items-center gap-3">
        <Link
          to={user ? paths.home : paths.landing}
          aria-label="Socio, pagina iniziale"
          className="flex h-11 items-center"
        >
          <Logo />
        </Link>
        <p className="hidden truncate text-sm text-muted-foreground md:block">
          Il socio digitale di chi lavora in proprio
        </p>
        <div className="ml-auto flex items-center gap-0.5 sm:gap-1.5">
          {user && (
            <Suspense>
              <PersonTools />
            </Suspense>
          )}
          {halfway && <ThemeToggle />}
          {!user && !halfway && !isLoading && <VisitorTools />}
        </div>
      </div>
    </header>
  )
}

function VisitorTools() {
  return (
    <>
      <ThemeToggle />
      <Button variant="ghost" asChild>
        <Link to={paths.login}>Login</Link>
      </Button>
      <Button asChild>
        <Link to={paths.register}>Sign Up</Link>
      </Button>
    </>
  )
}
