/** /settings/privacy: what is held and why, who comes to it, and what can be refused (GDPR, art. 12 to 21). */
import { useSearchParams } from 'react-router'

import { SettingsScreen } from '@/components/settings-screen'
import { AccessCard } from '@/features/settings/access-card'
import { AiUseCard } from '@/features/settings/ai-use-card'
import { ClientRequestsCard } from '@/features/settings/client-requests-card'
import { ConsentsCard } from '@/features/settings/consents-card'
import { ContactCard } from '@/features/settings/contact-card'
import { ContactRights } from '@/features/settings/contact-rights'
import { FiguresCard } from '@/features/settings/figures-card'
import { LimitCard } from '@/features/settings/limit-card'
import { ObjectionsCard } from '@/features/settings/objections-card'
import { ProcessorsCard } from '@/features/settings/processors-card'

export default function PrivacyPage() {
  const [params] = useSearchParams()
  const contactId = params.get('cliente')
  if (contactId) return <ContactRights key={contactId} contactId={contactId} />
  return (
    <SettingsScreen title="Privacy">
      <FiguresCard />
      <AiUseCard />
      <ObjectionsCard />
      <LimitCard />
      <ConsentsCard />
      <ClientRequestsCard />
      <AccessCard />
      <ProcessorsCard />
      <ContactCard />
    </SettingsScreen>
  )
}
