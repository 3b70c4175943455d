/**
 * Whether changes arrive by themselves, so that nothing needs to be asked for.
 *
 * off      switched off, or nobody is signed in
 * joining  asked for; no reason to worry yet
 * live     every change arrives
 * lost     away for longer than a restart takes: the client asks again every 30 s meanwhile
 */
import { useSyncExternalStore } from 'react'

export type LiveState = 'off' | 'joining' | 'live' | 'lost'

let state: LiveState = 'off'
const listeners = new Set<() => void>()

export function setLive(next: LiveState): void {
  if (next === state) return
  state = next
  for (const listener of listeners) listener()
}

export const isLive = (): boolean => state === 'live'

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => state)
}
