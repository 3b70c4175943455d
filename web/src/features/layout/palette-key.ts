/** ⌘K / Ctrl+K (LAYOUT-10), heard from the start of the app: the palette comes later, with what only members load. */
import { hasStoredSession } from '@/lib/stored-session'

let listener: (() => void) | null = null
let isWaiting = false

window.addEventListener('keydown', (event) => {
  // The modifiers first: a browser that fills in a form sends this event without a key.
  if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
  if (listener) listener()
  else if (hasStoredSession()) isWaiting = !isWaiting
  else return
  event.preventDefault()
})

/** Calls `action` whenever the keys are pressed, and at once where they were before; returns the way to end that. */
export function onPaletteKey(action: () => void): () => void {
  listener = action
  if (isWaiting) action()
  isWaiting = false
  return () => {
    listener = null
  }
}
