/** For code that a page needs only once somebody does something with it: what can be read works without. */

import { never } from '@/lib/chunk'
import { hasStoredSession } from '@/lib/stored-session'

const KINDS = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'scroll', 'keydown', 'focusin'] as const

/** Resolves with the first sign of a person on this page; at once when there has been one, or when nobody can tell. */
export function firstInteraction(): Promise<void> {
  if (navigator.userActivation?.hasBeenActive ?? true) return Promise.resolve()
  return new Promise((resolve) => {
    const heard = new AbortController()
    for (const kind of KINDS) {
      window.addEventListener(
        kind,
        () => {
          heard.abort()
          resolve()
        },
        { capture: true, passive: true, signal: heard.signal },
      )
    }
  })
}

/**
 * For `lazy`: a part of a page that visitors have in its prerendered HTML, loaded with their first sign. Without its code
 * it stays as the HTML has it: an error would take the whole page away. The app draws pages anew, so it waits for nobody.
 */
export async function whenTouched<Part>(load: () => Promise<Part>): Promise<{ default: Part }> {
  if (!hasStoredSession()) await firstInteraction()
  return { default: await load().catch(never) }
}
