import { useEffect, useState } from 'react'

/** No timer of a browser goes further. */
const LONGEST_MS = 2 ** 31 - 1

/** The time in milliseconds, which moves on when `changesIn` says that something looks different then. */
export function useNow(changesIn: (now: number) => number | null): number {
  const [now, setNow] = useState(() => Date.now())
  const wait = changesIn(now)
  useEffect(() => {
    if (wait === null) return undefined
    const timer = window.setTimeout(() => setNow(Date.now()), Math.min(wait, LONGEST_MS))
    return () => window.clearTimeout(timer)
  }, [wait])
  return now
}
