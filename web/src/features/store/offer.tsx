import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** One of several things to buy, as an item of their list. */
export function Offer({ isPreferred, children }: { isPreferred: boolean; children: ReactNode }) {
  return (
    <li className={clsx('flex flex-col gap-4 rounded-md border bg-card p-5', isPreferred && 'border-primary')}>
      {children}
    </li>
  )
}
