import type { LucideIcon } from 'lucide-react'

import { Badge } from '@/components/ui/badge'

export type OutlookItem = {
  icon: LucideIcon
  title: string
  text: string
  state: 'Attivo' | 'Da collegare' | 'Da accendere'
}

/** What is on and what waits for a decision, told apart by a word and not only by a colour. */
export function OutlookList({ items }: { items: OutlookItem[] }) {
  return (
    <ul className="grid gap-px overflow-hidden rounded-md border bg-border">
      {items.map(({ icon: Icon, title, text, state }) => (
        <li key={title} className="flex gap-3 bg-card p-4">
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-primary" />
          <div className="grid flex-1 gap-1">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <h2 className="font-semibold">{title}</h2>
              <Badge variant={state === 'Attivo' ? 'default' : 'outline'}>{state}</Badge>
            </div>
            <p className="text-sm text-pretty text-muted-foreground">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
