/** Every URL that leads nowhere (SITE-14). */
import { useEffect } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'

import { Button } from '@/components/ui/button'
import { reportError } from '@/lib/report-error'
import { paths } from '@/paths'

export default function NotFoundPage() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  // A link opened in a new tab has nothing behind it.
  const back = () => void (window.history.length > 1 ? navigate(-1) : navigate(paths.landing))
  useEffect(() => reportError(`404: ${pathname}`), [pathname])
  return (
    <section className="column grid min-h-[60dvh] place-content-center justify-items-center gap-3 py-12 text-center">
      <p className="font-display text-5xl font-medium text-primary">404</p>
      <h1 className="font-display text-3xl font-medium">Pagina non trovata</h1>
      <p className="max-w-md text-muted-foreground">La pagina che stai cercando non esiste o è stata spostata.</p>
      <div className="mt-3 flex flex-wrap justify-center gap-3">
        <Button variant="outline" onClick={back}>
          Indietro
        </Button>
        <Button asChild>
          <Link to={paths.landing}>Home</Link>
        </Button>
      </div>
    </section>
  )
}
