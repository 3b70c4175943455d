/** /settings/privacy: limit, object, and see who touched the account (GDPR, art. 15, 18 and 21). */
import { SettingsScreen } from '@/components/settings-screen'
import { AccessCard } from '@/features/settings/access-card'
import { LimitCard } from '@/features/settings/limit-card'
import { ObjectionsCard } from '@/features/settings/objections-card'

export default function PrivacyPage() {
  return (
    <SettingsScreen title="Privacy">
      <LimitCard />
      <ObjectionsCard />
      <AccessCard />
    </SettingsScreen>
  )
}
