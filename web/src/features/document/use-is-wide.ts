import { useSyncExternalStore } from 'react'

const wide = () => window.matchMedia('(min-width: 64rem)')

function subscribe(listener: () => void) {
  const query = wide()
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether two columns fit beside each other (Tailwind's lg). */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide().matches)
}
