/** What can be done about a notification without leaving the page, by the registry of kinds. */
import { useQuery } from '@tanstack/react-query'
import { AlarmClockIcon, CircleCheckIcon, HandshakeIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { useUser } from '@/data/auth-context'
import { useMarkInvoicePaid } from '@/data/invoices'
import { notificationKindsQuery } from '@/data/notification-settings'
import { type Notification, useMarkRead } from '@/data/notifications'
import { useSnoozeTask } from '@/data/task-snooze'
import { useMorning } from '@/data/working-hours'
import { ProposalDialog } from '@/features/notifications/proposal-dialog'
import { addDays, instantOf, mondayOf, romeDay } from '@/lib/rome-time'

type Props = { row: Notification; entityId: string }

export function NotificationAction({ row, entityId }: Props) {
  const { data: kinds = [] } = useQuery(notificationKindsQuery)
  const action = kinds.find(({ kind }) => kind === row.kind)?.action
  if (!action) return null
  return (
    <div className="pb-3 pl-5">
      {action === 'segna_pagata' && <PaidButton row={row} entityId={entityId} />}
      {action === 'rimanda' && <SnoozeMenu row={row} entityId={entityId} />}
      {action === 'approva' && <ApproveButton row={row} entityId={entityId} />}
    </div>
  )
}

function PaidButton({ row, entityId }: Props) {
  const pay = useMarkInvoicePaid(useUser().id)
  const markRead = useMarkRead()

  function undo() {
    pay.mutate(
      { id: entityId, paidOn: null },
      { onError: () => toast.error('Non siamo riusciti ad annullare: riprova dalla fattura') },
    )
  }

  async function run() {
    try {
      await pay.mutateAsync({ id: entityId, paidOn: romeDay(new Date()) })
      markRead.mutate([row.id])
      toast.success('Segnata come pagata oggi', { action: { label: 'Annulla', onClick: undo } })
    } catch {
      toast.error('Non siamo riusciti a segnarla: apri la fattura e riprova')
    }
  }

  return (
    <Button
      variant="outline"
      size="sm"
      aria-label={`Segna pagata: ${row.title}`}
      disabled={pay.isPending}
      onClick={() => void run()}
    >
      <CircleCheckIcon aria-hidden /> Segna pagata
    </Button>
  )
}

/** Later, at the hour at which this person begins to work. */
function laterFrom(morning: string): [string, (now: Date) => string][] {
  const hour = morning.replace(/^0|:00$/g, '')
  return [
    ['Tra un’ora', (now) => new Date(now.getTime() + 3_600_000).toISOString()],
    [`Domani alle ${hour}`, (now) => instantOf(`${addDays(romeDay(now), 1)}T${morning}`)],
    [`Lunedì alle ${hour}`, (now) => instantOf(`${addDays(mondayOf(romeDay(now)), 7)}T${morning}`)],
  ]
}

function SnoozeMenu({ row, entityId }: Props) {
  const snooze = useSnoozeTask(useUser().id)
  const later = laterFrom(useMorning())
  const markRead = useMarkRead()

  async function run(label: string, until: (now: Date) => string) {
    try {
      await snooze.mutateAsync({ taskId: entityId, until: until(new Date()) })
      markRead.mutate([row.id])
      toast.success(`Te lo ricordo ${label.toLowerCase()}`)
    } catch {
      toast.error('Non siamo riusciti a rimandare: apri l’attività e riprova')
    }
  }

  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" size="sm" aria-label={`Rimanda: ${row.title}`} disabled={snooze.isPending}>
          <AlarmClockIcon aria-hidden /> Rimanda
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        {later.map(([label, until]) => (
          <DropdownMenuItem key={label} onSelect={() => void run(label, until)}>
            {label}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}

function ApproveButton({ row, entityId }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const markRead = useMarkRead()
  return (
    <>
      <Button variant="outline" size="sm" aria-label={`Decidi: ${row.title}`} onClick={() => setIsOpen(true)}>
        <HandshakeIcon aria-hidden /> Decidi
      </Button>
      {isOpen && (
        <ProposalDialog
          toolCallId={entityId}
          onDecided={() => markRead.mutate([row.id])}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
