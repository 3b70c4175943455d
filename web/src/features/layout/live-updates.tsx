import { useLiveUpdates } from '@/data/live'

/** Nothing to see: what the other tools show arrives by itself while this is mounted. */
export function LiveUpdates({ userId }: { userId: string }) {
  useLiveUpdates(userId)
  return null
}
