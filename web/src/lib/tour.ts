/** Whether this browser has seen the guided tour (local key `tour_completed`), and how to see it again. */
import { useSyncExternalStore } from 'react'

import { local } from '@/lib/storage'

const KEY = 'tour_completed'

/** `due`: never finished nor skipped here; `over`: does not come again by itself. */
type TourState = 'due' | 'running' | 'over'

let isRunning = false
let isLost = false
const listeners = new Set<() => void>()

function read(): TourState {
  if (isRunning) return 'running'
  return local.getItem(KEY) === null && !isLost ? 'due' : 'over'
}

function change(next: boolean): void {
  isRunning = next
  for (const listener of listeners) listener()
}

/** Starts it, for the first time or again. */
export function startTour(): void {
  change(true)
}

/** Finished or skipped: the flag is stored. */
export function endTour(): void {
  local.setItem(KEY, 'true')
  change(false)
}

/**
 * Its code did not arrive: over until the page is loaded anew, and no flag is stored.
 * @returns whether somebody had asked for it, since it would not have come by itself
 */
export function loseTour(): boolean {
  const wasAskedFor = isLost || local.getItem(KEY) !== null
  isLost = true
  change(false)
  return wasAskedFor
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTour(): TourState {
  return useSyncExternalStore(subscribe, read)
}
