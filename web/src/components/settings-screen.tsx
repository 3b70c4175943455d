import { ChevronLeftIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { PageTitle } from '@/components/page-title'
import { paths } from '@/paths'

/** The frame of the pages under /settings, with the way back. */
export function SettingsScreen({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="column grid max-w-3xl gap-6 py-6 sm:py-8">
      <PageTitle>{title}</PageTitle>
      <header className="print:hidden">
        <Link
          to={paths.settings}
          className="-ml-1 inline-flex min-h-11 items-center gap-1 text-sm text-muted-foreground hover:text-foreground"
        >
          <ChevronLeftIcon aria-hidden className="size-[18px]" />
          Impostazioni
        </Link>
        <h1 className="text-2xl font-semibold">{title}</h1>
      </header>
      {children}
    </div>
  )
}
