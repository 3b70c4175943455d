/**
 * What the pages may say about the early bird: the formula of the countdown, or the seats really taken.
 *
 * Asked once in the life of the page, without supabase-js: the landing page has to be light.
 */
import { useSyncExternalStore } from 'react'

import { clientConfig } from '@/lib/config'
import { type Countdown, TOTAL_SEATS, useCountdown } from '@/lib/early-bird'

export type Offer = {
  /** Null where no time runs: the real offer ends with its seats. */
  countdown: Countdown | null
  taken: number
  isOver: boolean
}

type Scarcity = { kind: 'simulated' } | { kind: 'real'; taken: number }

const SETTING = '/rest/v1/site_settings?key=eq.marketing.simulated_scarcity&select=value'

let known: Scarcity | undefined
let asked = false
const listeners = new Set<() => void>()

async function get<Answer>(path: string): Promise<Answer> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const answer = await fetch(supabaseUrl + path, { headers: { apikey: publishableKey } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return (await answer.json()) as Answer
}

/** Without a setting the scarcity is simulated (SITE-22). */
async function ask(): Promise<void> {
  try {
    const [setting] = await get<{ value: boolean }[]>(SETTING)
    known =
      (setting?.value ?? true)
        ? { kind: 'simulated' }
        : { kind: 'real', taken: await get<number>('/rest/v1/rpc/early_bird_seats') }
    for (const listener of listeners) listener()
  } catch {
    // The offer stands without its figures.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!asked) {
    asked = true
    void ask()
  }
  return () => listeners.delete(listener)
}

/** Undefined until the server has answered, and for good when it does not: then no seats are spoken of. */
function useScarcity(): Scarcity | undefined {
  return useSyncExternalStore(
    subscribe,
    () => known,
    () => undefined,
  )
}

/** Null while nothing is known that could be shown. */
export function useOffer(): Offer | null {
  const scarcity = useScarcity()
  const countdown = useCountdown(scarcity?.kind === 'simulated')
  switch (scarcity?.kind) {
    case 'real':
      return { countdown: null, taken: scarcity.taken, isOver: scarcity.taken >= TOTAL_SEATS }
    case 'simulated':
      return countdown && { countdown, taken: countdown.availableSpots, isOver: countdown.isExpired }
    case undefined:
      return null
  }
}
