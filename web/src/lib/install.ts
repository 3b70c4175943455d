/** The browser's offer to install the app: it comes once, early, and whoever wants to use it asks here. */
import { useSyncExternalStore } from 'react'

/** Chromium's own, in no standard. */
type InstallPrompt = Event & { prompt: () => Promise<unknown> }

let offer: InstallPrompt | null = null
const listeners = new Set<() => void>()

function publish(next: InstallPrompt | null): void {
  offer = next
  for (const listener of listeners) listener()
}

window.addEventListener('beforeinstallprompt', (event) => {
  // The browser would show a banner of its own.
  event.preventDefault()
  publish(event as InstallPrompt)
})
window.addEventListener('appinstalled', () => publish(null))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What installs the app; null where the browser does not offer it, or it is installed. */
export function useInstall(): (() => void) | null {
  const current = useSyncExternalStore(subscribe, () => offer)
  if (!current) return null
  return () => {
    // An offer can be used once; after a refusal the browser makes another one.
    publish(null)
    void current.prompt()
  }
}
