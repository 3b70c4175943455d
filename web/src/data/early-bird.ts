/**
 * What the landing page may say about the early-bird seats: the formula of the countdown, or the seats really taken.
 *
 * Asked once in the life of the page, without supabase-js: the landing page has to be light.
 */
import { useSyncExternalStore } from 'react'

import { clientConfig } from '@/lib/config'

export type Scarcity = { kind: 'simulated' } | { kind: 'real'; taken: number }

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

/** Without a setting the scarcity is simulated, as the spec has it. */
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
export function useScarcity(): Scarcity | undefined {
  return useSyncExternalStore(
    subscribe,
    () => known,
    () => undefined,
  )
}
