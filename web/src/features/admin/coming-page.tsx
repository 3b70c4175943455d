/** An admin screen that is announced but not open yet: says what will be there. */
import { GaugeIcon } from 'lucide-react'
import { useLocation } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { AdminScreen } from '@/features/admin/admin-screen'
import { adminScreens } from '@/strings/admin'

export function ComingPage() {
  const { pathname } = useLocation()
  const screen = adminScreens.find(({ to }) => to === pathname) ?? adminScreens[0]
  return (
    <AdminScreen title={screen.label} text={screen.soon}>
      <EmptyState
        icon={GaugeIcon}
        title="In arrivo"
        text="Questa parte non è ancora pronta: qui non si misura niente."
      />
    </AdminScreen>
  )
}
