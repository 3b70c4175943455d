/** ⏰ and ✕ of an insight: until when it waits, and why it is not wanted. */
import { AlarmClockIcon, XIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import type { Insight } from '@/data/home'
import type { InsightActions } from '@/features/home/use-insight-actions'
import { refusals } from '@/strings/home'

type Props = { insight: Insight; actions: InsightActions }

const delays = [
  ['a domani', 1],
  ['fra 3 giorni', 3],
  ['fra una settimana', 7],
] as const

export function LaterMenu({ insight, actions }: Props) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon" aria-label={`Rimanda: ${insight.title}`}>
          <AlarmClockIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>Rimanda</DropdownMenuLabel>
        {delays.map(([text, days]) => (
          <DropdownMenuItem key={text} onSelect={() => actions.later(insight, days, text)}>
            {text}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}

export function RefuseMenu({ insight, actions }: Props) {
  const isInvoice = insight.entity_type === 'invoice'
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon" aria-label={`Non utile: ${insight.title}`}>
          <XIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>Non è utile perché</DropdownMenuLabel>
        {isInvoice && <DropdownMenuItem onSelect={() => actions.paid(insight)}>È già stata pagata</DropdownMenuItem>}
        {refusals.map((reason) => (
          <DropdownMenuItem key={reason} onSelect={() => actions.refuse(insight, reason)}>
            {reason}
          </DropdownMenuItem>
        ))}
        <DropdownMenuSeparator />
        <DropdownMenuItem onSelect={() => actions.hideKind(insight)}>Non mostrarmi più questo tipo</DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
