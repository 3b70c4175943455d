import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same and does what `run` does now: what it is given to need not be drawn anew. */
export function useLatest<Arguments extends unknown[], Result>(
  run: (...values: Arguments) => Result,
): (...values: Arguments) => Result {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...values: Arguments) => latest.current(...values), [])
}
