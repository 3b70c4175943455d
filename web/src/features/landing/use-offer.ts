/** What the page shows of the early bird: the countdown's formula, or the seats really taken. */
import { useScarcity } from '@/data/early-bird'
import { type Countdown, TOTAL_SEATS, useCountdown } from '@/lib/early-bird'

export type Offer = {
  /** Null where no time runs: the real offer ends with its seats. */
  countdown: Countdown | null
  taken: number
  isOver: boolean
}

/** Null while nothing is known that could be shown. */
export function useOffer(): Offer | null {
  const scarcity = useScarcity()
  const countdown = useCountdown()
  switch (scarcity?.kind) {
    case 'real':
      return { countdown: null, taken: scarcity.taken, isOver: scarcity.taken >= TOTAL_SEATS }
    case 'simulated':
      return countdown && { countdown, taken: countdown.availableSpots, isOver: countdown.isExpired }
    case undefined:
      return null
  }
}
