/** The administration, which is announced but not open yet: says what will be there instead of failing. */
import { GaugeIcon } from 'lucide-react'

import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Badge } from '@/components/ui/badge'
import { useAuth } from '@/data/auth-context'
import { paths } from '@/paths'

export default function ComingSoonPage() {
  const { user } = useAuth()
  const title = 'Amministrazione'
  return (
    <PageMessage
      title={title}
      text="Qui seguirai errori, disponibilità, pagamenti, crediti e sicurezza di Socio."
      icon={GaugeIcon}
      action={user ? { label: 'Torna alla Home', to: paths.home } : { label: 'Pagina iniziale', to: paths.landing }}
    >
      <PageTitle>{title}</PageTitle>
      <Badge variant="secondary" className="order-first">
        In arrivo
      </Badge>
    </PageMessage>
  )
}
