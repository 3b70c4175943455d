/** Chunks that cannot be had: the connection is gone, or a deploy has replaced them since this page was opened. */

let hasLoaded = false

/**
 * What `load` imports, for chunks without which the reader stands before nothing.
 *
 * It is tried twice (Chrome remembers a failure until the next document, the others do not); then the whole page is
 * loaded anew, since the server hands over the build of today. A page that got nothing yet comes from there already:
 * loading it once more would go on for ever.
 * @throws Error as `isLostChunk` knows it
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    const chunk = await load().catch(load)
    hasLoaded = true
    return chunk
  } catch (error) {
    if (!hasLoaded || !navigator.onLine) throw error
    window.location.reload()
    return never()
  }
}

/** Whether an import failed, in the words of Chrome and Firefox, of Safari, and of Vite for style sheets. */
export function isLostChunk({ message }: Error): boolean {
  return /dynamically imported module|importing a module script|preload CSS/i.test(message)
}

/** For whoever must go on waiting. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}
