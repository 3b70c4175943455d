/** For code that a page needs only once somebody does something with it: what can be read works without. */

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
