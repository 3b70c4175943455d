/** The right side of the top bar for signed-in people; a chunk of its own, so that visitors never load it. */
import { useAuth } from '@/data/auth-context'
import { AccountMenu } from '@/features/layout/account-menu'
import { AppWorker } from '@/features/layout/app-worker'
import { CommandPalette } from '@/features/layout/command-palette'
import { ChosenPlan } from '@/features/layout/chosen-plan'
import { CreditPill } from '@/features/layout/credit-pill'
import { GuidedTour } from '@/features/layout/guided-tour'
import { LogoutButton } from '@/features/layout/logout-button'
import { LiveUpdates } from '@/features/layout/live-updates'
import { LowCredits } from '@/features/layout/low-credits'
import { NotificationBell } from '@/features/layout/notification-bell'

export default function PersonTools() {
  const { user, profile } = useAuth()
  if (!user) return null
  return (
    <>
      <LiveUpdates userId={user.id} />
      <AppWorker userId={user.id} />
      <CommandPalette userId={user.id} />
      <CreditPill userId={user.id} />
      <NotificationBell userId={user.id} />
      <AccountMenu />
      <LogoutButton userId={user.id} />
      {/* Nobody is shown around before the onboarding. */}
      {profile?.onboarding_completed && <GuidedTour />}
      {profile?.onboarding_completed && <ChosenPlan key={`plan-${user.id}`} user={user} />}
      <LowCredits key={user.id} userId={user.id} />
    </>
  )
}
