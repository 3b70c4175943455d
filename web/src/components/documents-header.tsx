/** The top of the documents' screens: its tabs, and beside them the buttons of the screen as children. */
import type { ReactNode } from 'react'

import { LinkTabs } from '@/components/link-tabs'
import { paths } from '@/paths'

const tabs = [
  { key: 'documents', label: 'Documenti', to: paths.documents },
  { key: 'invoices', label: 'Fatture', to: paths.documentsInvoices },
  { key: 'trash', label: 'Cestino', to: paths.documentsTrash },
] as const

type Props = {
  current: (typeof tabs)[number]['key']
  /** The heading of the screen. */
  title: string
  /** Buttons of the screen. */
  children?: ReactNode
}

export function DocumentsHeader({ current, title, children }: Props) {
  return (
    <header className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      <LinkTabs label="Documenti" tabs={tabs} current={current} />
    </header>
  )
}
