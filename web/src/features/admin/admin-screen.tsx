/** The frame of every admin screen: the twelve screens, and whose title this is. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'

import { LinkTabs } from '@/components/link-tabs'
import { PageTitle } from '@/components/page-title'
import { guardrailQuery } from '@/data/admin'
import { ViewMenu } from '@/features/admin/view-menu'
import { paths } from '@/paths'
import { adminScreens } from '@/strings/admin'
import { fullDate } from '@/strings/dates'

const tabs = adminScreens.map(({ to, label }) => ({ key: to, label, to }))

type Props = { title: string; text: string; children: ReactNode }

export function AdminScreen({ title, text, children }: Props) {
  const { pathname } = useLocation()
  const { data: guardrail } = useQuery(guardrailQuery())
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>{`${title} · Amministrazione`}</PageTitle>
      <LinkTabs label="Amministrazione" tabs={tabs} current={tabs.find(({ key }) => key === pathname)?.key} />
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid max-w-2xl gap-1">
          <h1 className="text-2xl font-semibold">{title}</h1>
          <p className="text-sm text-pretty text-muted-foreground">{text}</p>
        </div>
        <ViewMenu />
      </header>
      {guardrail?.ai_stopped && (
        <p role="status" className="rounded-md bg-warning-tint p-4 text-sm">
          L’IA è ferma per tutti
          {guardrail.stopped_at && ` da ${fullDate(guardrail.stopped_at)}`}: nessuna chiamata ai fornitori, nessun
          agente. Si riaccende in{' '}
          <Link to={paths.adminCreditAudit} className="underline underline-offset-4">
            Crediti
          </Link>
          .
        </p>
      )}
      {children}
    </div>
  )
}
