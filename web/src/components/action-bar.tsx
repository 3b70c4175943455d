/** The bar over a list while something in it is selected: how many, what can be done with them as children, and its end. */
import { XIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'

type Props = {
  /** What it acts on, for people who hear it. */
  label: string
  /** How many, in words. */
  count: string
  onClear: () => void
  children: ReactNode
}

export function ActionBar({ label, count, onClear, children }: Props) {
  return (
    <div
      role="region"
      aria-label={label}
      className="sticky top-14 z-20 flex flex-wrap items-center gap-2 rounded-md border bg-popover p-2 shadow-float"
    >
      <p role="status" className="mr-auto px-2 text-sm font-medium tabular">
        {count}
      </p>
      {children}
      <Button variant="ghost" size="icon" aria-label="Togli la selezione" onClick={onClear}>
        <XIcon aria-hidden />
      </Button>
    </div>
  )
}
