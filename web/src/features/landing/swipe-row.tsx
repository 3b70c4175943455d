import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** A list of cards: one beside the other to swipe on a phone, a grid as wide as its `className` says from there on. */
export function SwipeRow({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    // Reached by the keyboard, or its other cards could not be read without a touch.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ul aria-label={label} tabIndex={0} className={clsx('swipe-row', className)}>
      {children}
    </ul>
  )
}
