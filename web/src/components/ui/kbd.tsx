import type { ReactNode } from 'react'

/** A key, in a hint. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="font-sans font-semibold">{children}</kbd>
}
