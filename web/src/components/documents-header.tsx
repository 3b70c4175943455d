/** The top of the documents' screens: its tabs, and beside them the buttons of the screen as children. */
import type { ReactNode } from 'react'

import { AreaHeader } from '@/components/area-header'
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
    <AreaHeader label="Documenti" tabs={tabs} current={current} title={title}>
      {children}
    </AreaHeader>
  )
}
