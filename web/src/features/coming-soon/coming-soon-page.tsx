/** A screen that is announced but not open yet: says what will be there instead of failing. */
import { useLocation } from 'react-router'

import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Badge } from '@/components/ui/badge'
import { useAuth } from '@/data/auth-context'
import { announcementFor } from '@/features/coming-soon/announcements'
import { paths } from '@/paths'

export default function ComingSoonPage() {
  const { user } = useAuth()
  const { pathname } = useLocation()
  const { title, text, icon } = announcementFor(pathname)
  return (
    <PageMessage
      title={title}
      text={text}
      icon={icon}
      action={user ? { label: 'Torna alla Home', to: paths.home } : { label: 'Pagina iniziale', to: paths.landing }}
    >
      <PageTitle>{title}</PageTitle>
      <Badge variant="secondary" className="order-first">
        In arrivo
      </Badge>
    </PageMessage>
  )
}
