/** The top of the CRM's screens: its tabs, and beside them the buttons of the screen as children. */
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { paths } from '@/paths'

const tabs = {
  contacts: { label: 'Contatti', to: paths.crm },
  companies: { label: 'Aziende', to: paths.crmCompanies },
  deals: { label: 'Trattative', to: paths.crmDeals },
} as const

type Props = {
  /** The tab that is shown; none on a page beside them, such as the import. */
  current?: keyof typeof tabs
  /** The heading of the screen. */
  title: string
  /** Buttons such as «Nuovo», «Importa», «Esporta». */
  children?: ReactNode
}

export function CrmHeader({ current, title, children }: Props) {
  return (
    <header className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      <nav aria-label="CRM" className="flex gap-1 border-b">
        {Object.entries(tabs).map(([key, { label, to }]) => (
          <Link
            key={key}
            to={to}
            aria-current={key === current ? 'page' : undefined}
            className={clsx(
              '-mb-px flex min-h-11 items-center rounded-t-md border-b-2 px-3 text-sm font-medium transition-colors',
              key === current
                ? 'border-primary text-foreground'
                : 'border-transparent text-muted-foreground hover:text-foreground',
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
    </header>
  )
}
