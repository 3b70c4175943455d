/** The top of the CRM's screens: its tabs, and beside them the buttons of the screen as children. */
import type { ReactNode } from 'react'

import { AreaHeader } from '@/components/area-header'
import { paths } from '@/paths'

const tabs = [
  { key: 'contacts', label: 'Contatti', to: paths.crm },
  { key: 'companies', label: 'Aziende', to: paths.crmCompanies },
  { key: 'deals', label: 'Trattative', to: paths.crmDeals },
  { key: 'mail', label: 'Posta', to: paths.crmMail },
  { key: 'whatsapp', label: 'WhatsApp', to: paths.crmWhatsapp },
  { key: 'trash', label: 'Cestino', to: paths.crmTrash },
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
    <AreaHeader label="CRM" tabs={tabs} current={current} title={title}>
      {children}
    </AreaHeader>
  )
}
