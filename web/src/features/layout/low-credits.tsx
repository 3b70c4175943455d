/** Says once per session that credits run low (LAYOUT-09). */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'

import { creditSettingsQuery } from '@/data/credit-settings'
import { balanceQuery } from '@/data/wallet'
import { session } from '@/lib/storage'
import { useTour } from '@/lib/tour'
import { uninvited } from '@/lib/uninvited'

/** Holds whom it was said to: the next person of this tab has not heard it. */
const KEY = 'low_credits_shown'
/** Below so many credits (LAYOUT-09), unless the person chose another number. */
const THRESHOLD = 5

const LowCreditsDialog = uninvited(() => import('@/features/layout/low-credits-dialog'))

export function LowCredits({ userId }: { userId: string }) {
  const { data: balance } = useQuery(balanceQuery(userId))
  const settings = useQuery(creditSettingsQuery(userId))
  const tour = useTour()
  const [step, setStep] = useState(() => (session.getItem(KEY) === userId ? 'over' : 'waiting'))
  const threshold = settings.data?.low_threshold ?? THRESHOLD
  // The tour comes first: two things that want the whole screen do not come together.
  const isDue = !settings.isPending && tour === 'over' && balance !== undefined && balance < threshold
  if (step === 'waiting' && isDue) setStep('open')
  if (step === 'open' && !isDue) setStep('over')

  if (step !== 'open' || balance === undefined) return null
  return (
    <Suspense>
      <LowCreditsDialog
        balance={balance}
        onShown={() => session.setItem(KEY, userId)}
        onClose={() => setStep('over')}
      />
    </Suspense>
  )
}
