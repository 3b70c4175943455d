/** The frame of every admin screen: the twelve screens, and whose title this is. */
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'

import { LinkTabs } from '@/components/link-tabs'
import { PageTitle } from '@/components/page-title'
import { adminScreens } from '@/strings/admin'

const tabs = adminScreens.map(({ to, label }) => ({ key: to, label, to }))

type Props = { title: string; text: string; children: ReactNode }

export function AdminScreen({ title, text, children }: Props) {
  const { pathname } = useLocation()
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>{`${title} · Amministrazione`}</PageTitle>
      <LinkTabs label="Amministrazione" tabs={tabs} current={tabs.find(({ key }) => key === pathname)?.key} />
      <header className="grid gap-1">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <p className="max-w-2xl text-sm text-pretty text-muted-foreground">{text}</p>
      </header>
      {children}
    </div>
  )
}
