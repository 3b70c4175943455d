/** /settings/credits: what there is, what happened to it, what was bought, and the person's own limits (LEDGER-14 to LEDGER-16). */
import { useUser } from '@/data/auth-context'
import { LimitsCard } from '@/features/settings/credits/limits-card'
import { OrdersCard } from '@/features/settings/credits/orders-card'
import { OverviewCard } from '@/features/settings/credits/overview-card'
import { PriceListCard } from '@/features/settings/credits/price-list-card'
import { StatementCard } from '@/features/settings/credits/statement-card'
import { SettingsScreen } from '@/components/settings-screen'

export default function CreditsPage() {
  const { id } = useUser()
  return (
    <SettingsScreen title="Crediti">
      <OverviewCard userId={id} />
      <StatementCard userId={id} />
      <OrdersCard userId={id} />
      <LimitsCard userId={id} />
      <PriceListCard />
    </SettingsScreen>
  )
}
