/** Whether this browser has seen the guided tour (local key `tour_completed`), and how to see it again. */
import { useSyncExternalStore } from 'react'

import { local } from '@/lib/storage'

const KEY = 'tour_completed'

/** `due`: never finished nor skipped here; `over`: never comes again by itself. */
type TourState = 'due' | 'running' | 'over'

let isRunning = false
const listeners = new Set<() => void>()

function read(): TourState {
  if (isRunning) return 'running'
  return local.getItem(KEY) === null ? 'due' : 'over'
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

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTour(): TourState {
  return useSyncExternalStore(subscribe, read)
}
