/** When the guided tour runs (LAYOUT-06); what it shows comes with a chunk of its own. */
import { Suspense, useEffect } from 'react'
import { toast } from 'sonner'

import { loseTour, startTour, useTour } from '@/lib/tour'
import { uninvited } from '@/lib/uninvited'

/** From the first load to the tour. */
const DELAY_MS = 1500

const TourSteps = uninvited(() => import('@/features/layout/tour-steps'), LostTour)

/** Gives way to whatever waits for the end of the tour. */
function LostTour() {
  useEffect(() => {
    if (loseTour()) toast.error('La guida non si è caricata. Ricarica la pagina e riprova.')
  }, [])
  return null
}

export function GuidedTour() {
  const tour = useTour()
  useEffect(() => {
    if (tour !== 'due') return
    const timer = setInterval(() => {
      // Somebody who has already opened a dialog is busy: the tour would lie over it and fight for the focus.
      if (!document.querySelector('[role="dialog"]')) startTour()
    }, DELAY_MS)
    return () => clearInterval(timer)
  }, [tour])

  if (tour !== 'running') return null
  return (
    <Suspense>
      <TourSteps />
    </Suspense>
  )
}
