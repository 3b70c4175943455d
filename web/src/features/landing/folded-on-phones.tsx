import { ChevronDownIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** What a phone shows after a press on `summary`, and a larger screen always. Needs no script. */
export function FoldedOnPhones({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className="group folded-on-phones">
      <summary className="flex min-h-11 cursor-pointer list-none items-center justify-between gap-3 border-y text-sm font-semibold [&::-webkit-details-marker]:hidden">
        {summary}
        <ChevronDownIcon aria-hidden className="size-5 shrink-0 transition-transform group-open:rotate-180" />
      </summary>
      {children}
    </details>
  )
}
