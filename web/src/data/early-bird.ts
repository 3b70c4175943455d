/**
 * What the pages may say about the early bird: the formula of the countdown, or the seats really taken.
 *
 * Asked once in the life of the page, without supabase-js: the landing page has to be light.
 */
import { useSyncExternalStore } from 'react'

import { clientConfig } from '@/lib/config'
import { type Countdown, TOTAL_SEATS, useCountdown } from '@/lib/early-bird'

export type Offer = {
  /** Null where no time runs: the real offer ends with its seats, and so does the simulated one after its time. */
  countdown: Countdown | null
  /** The formula's seats while its time runs, then those of the server. */
  taken: number
  /** Whether a registration gets nothing of it any more: only the server's seats decide. */
  isOver: boolean
}

/** `taken` is the server's count. */
type Scarcity = { isSimulated: boolean; taken: number }

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
    const [[setting], taken] = await Promise.all([
      get<{ value: boolean }[]>(SETTING),
      get<number>('/rest/v1/rpc/early_bird_seats'),
    ])
    known = { isSimulated: setting?.value ?? true, taken }
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
  const isOver = scarcity !== undefined && scarcity.taken >= TOTAL_SEATS
  const isSimulated = scarcity !== undefined && scarcity.isSimulated && !isOver
  const countdown = useCountdown(isSimulated)
  if (!scarcity || (isSimulated && !countdown)) return null
  if (!countdown || countdown.isExpired) return { countdown: null, taken: scarcity.taken, isOver }
  return { countdown, taken: countdown.availableSpots, isOver }
}
