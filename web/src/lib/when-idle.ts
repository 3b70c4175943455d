/** Calls `run` once the page has been shown and rests; returns the way to call it off. Safari knows no idle time. */
export function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const id = window.requestIdleCallback(run)
    return () => window.cancelIdleCallback(id)
  }
  const id = setTimeout(run, 1_000)
  return () => clearTimeout(id)
}
