/** The top of the CRM's screens: its tabs, and beside them the buttons of the screen as children. */
import type { ReactNode } from 'react'

import { LinkTabs } from '@/components/link-tabs'
import { paths } from '@/paths'

const tabs = [
  { key: 'contacts', label: 'Contatti', to: paths.crm },
  { key: 'companies', label: 'Aziende', to: paths.crmCompanies },
  { key: 'deals', label: 'Trattative', to: paths.crmDeals },
] as const

type Props = {
  /** The tab that is shown; none on a page beside them, such as the import. */
  current?: (typeof tabs)[number]['key']
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
      <LinkTabs label="CRM" tabs={tabs} current={current} />
    </header>
  )
}
