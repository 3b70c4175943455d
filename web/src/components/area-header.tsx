/** The top of the screens of one area: the heading, the buttons of the screen as children, and the area's tabs. */
import type { ReactNode } from 'react'

import { LinkTabs } from '@/components/link-tabs'

type Tab = { key: string; label: string; to: string }

type Props = {
  /** What the tabs are, for people who hear it. */
  label: string
  tabs: readonly Tab[]
  /** The tab that is shown; none on a page beside them. */
  current: string | undefined
  /** The heading of the screen. */
  title: string
  children: ReactNode
}

export function AreaHeader({ label, tabs, current, title, children }: Props) {
  return (
    <header className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      <LinkTabs label={label} tabs={tabs} current={current} />
    </header>
  )
}
