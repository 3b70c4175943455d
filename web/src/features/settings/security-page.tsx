/** /settings/security: how the account is opened, and where it is open (PROFILE-07 to PROFILE-10). */
import { useQuery } from '@tanstack/react-query'

import { authOfferQuery } from '@/data/auth-settings'
import { ApplicationsCard } from '@/features/settings/applications-card'
import { FactorsCard } from '@/features/settings/factors-card'
import { IdentitiesCard } from '@/features/settings/identities-card'
import { PasskeysCard } from '@/features/settings/passkeys-card'
import { PasswordCard } from '@/features/settings/password-card'
import { SessionsCard } from '@/features/settings/sessions-card'
import { SettingsScreen } from '@/components/settings-screen'

export default function SecurityPage() {
  const { data: offer } = useQuery(authOfferQuery)
  return (
    <SettingsScreen title="Sicurezza">
      <FactorsCard />
      {offer?.passkeys && <PasskeysCard />}
      <PasswordCard />
      {offer && <IdentitiesCard providers={offer.providers} />}
      {offer?.applications && <ApplicationsCard />}
      <SessionsCard />
    </SettingsScreen>
  )
}
