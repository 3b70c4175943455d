/** Says once per session that credits run low (spec sections 4 and 8). */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'

import { creditSettingsQuery } from '@/data/credit-settings'
import { balanceQuery } from '@/data/wallet'
import { session } from '@/lib/storage'
import { useTour } from '@/lib/tour'

const KEY = 'low_credits_shown'
/** Below so many credits (spec section 9), unless the person chose another number. */
const THRESHOLD = 5

const LowCreditsDialog = lazy(() => import('@/features/layout/low-credits-dialog'))

export function LowCredits({ userId }: { userId: string }) {
  const { data: balance } = useQuery(balanceQuery(userId))
  const settings = useQuery(creditSettingsQuery(userId))
  const tour = useTour()
  const [isOver, setOver] = useState(() => session.getItem(KEY) !== null)

  const threshold = settings.data?.low_threshold ?? THRESHOLD
  // The tour comes first: two things that want the whole screen do not come together.
  if (isOver || settings.isPending || tour !== 'over' || balance === undefined || balance >= threshold) return null

  function close() {
    session.setItem(KEY, 'true')
    setOver(true)
  }

  return (
    <Suspense>
      <LowCreditsDialog balance={balance} onClose={close} />
    </Suspense>
  )
}
