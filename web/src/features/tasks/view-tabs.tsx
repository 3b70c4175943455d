/** The views as links of one address, so that each can be opened in a tab of its own. */
import { clsx } from 'clsx'
import { Link, useLocation } from 'react-router'

import { type View, views } from '@/features/tasks/use-tasks-address'

const labels: Record<View, string> = {
  oggi: 'Oggi',
  lista: 'Lista',
  kanban: 'Kanban',
  calendario: 'Calendario',
  progetti: 'Progetti',
}

export function ViewTabs({ current }: { current: View }) {
  const { search } = useLocation()
  function addressOf(view: View): string {
    const params = new URLSearchParams(search)
    params.delete('attivita')
    if (view === 'oggi') params.delete('vista')
    else params.set('vista', view)
    return `?${params}`
  }
  return (
    <nav aria-label="Viste" className="-mx-4 flex overflow-x-auto border-b px-4 sm:mx-0 sm:px-0">
      {views.map((view) => (
        <Link
          key={view}
          to={addressOf(view)}
          aria-current={view === current ? 'page' : undefined}
          className={clsx(
            '-mb-px flex min-h-11 shrink-0 items-center rounded-t-md border-b-2 px-3 text-sm font-medium transition-colors focus-visible:-outline-offset-2',
            view === current
              ? 'border-primary text-foreground'
              : 'border-transparent text-muted-foreground hover:text-foreground',
          )}
        >
          {labels[view]}
        </Link>
      ))}
    </nav>
  )
}
