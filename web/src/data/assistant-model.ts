/** Whether a model is connected to this installation; asked without supabase-js, for the public pages. */
import { useSyncExternalStore } from 'react'

import { clientConfig } from '@/lib/config'

let known: boolean | undefined
let asked = false
const listeners = new Set<() => void>()

async function ask(): Promise<void> {
  const { supabaseUrl, publishableKey } = clientConfig()
  try {
    const answer = await fetch(`${supabaseUrl}/functions/v1/chat_settings`, { headers: { apikey: publishableKey } })
    if (!answer.ok) return
    known = ((await answer.json()) as { ai: boolean }).ai
    for (const listener of listeners) listener()
  } catch {
    // Offline: the page says nothing about it.
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

/** Undefined until the server has answered. */
export function useHasModel(): boolean | undefined {
  return useSyncExternalStore(
    subscribe,
    () => known,
    () => undefined,
  )
}
