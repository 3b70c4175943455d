/**
 * Knows whether the server answers, from the traffic that flows anyway.
 *
 * The retries of a single call are supabase-js's own (it waits as long as Retry-After says); this module only
 * remembers the outcome, so that the shell can show one calm notice instead of an error per widget.
 */
import { useSyncExternalStore } from 'react'

const AWAY = new Set([502, 503, 504, 520])

let reachable = true
const listeners = new Set<() => void>()

function report(next: boolean): void {
  if (next === reachable) return
  reachable = next
  for (const listener of listeners) listener()
}

/** Whether an answer is a function's 503: what it needs (VIES, a model) may be away, and the server is there. */
function isAboutSomebodyElse(input: RequestInfo | URL, { status }: Response): boolean {
  const address = input instanceof Request ? input.url : String(input)
  return status === 503 && address.includes('/functions/v1/')
}

/** `fetch` that notes whether the server was there. A request that the page itself gave up says nothing. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    if (!isAboutSomebodyElse(input, response)) report(!AWAY.has(response.status))
    return response
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) report(false)
    throw error
  }
}

/** Calls `listener` at every change; returns the way to stop. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function isReachable(): boolean {
  return reachable
}

export function useReachable(): boolean {
  return useSyncExternalStore(subscribe, isReachable, isReachable)
}
