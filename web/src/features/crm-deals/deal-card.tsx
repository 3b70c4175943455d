import { useDraggable, useDroppable } from '@dnd-kit/core'
import { clsx } from 'clsx'
import { GripVerticalIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { Select } from '@/components/ui/select'
import type { Deal, Stage } from '@/data/deals'
import { daysInStage, type Slot } from '@/features/crm-deals/board'
import { shortDate } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'
import { countOfTasks } from '@/strings/tasks'

type Props = {
  deal: Deal
  index: number
  stages: Stage[]
  usualDays: number | undefined
  now: Date
  onMove: (deal: Deal, slot: Slot) => void
  onOpen: (deal: Deal) => void
}

export function DealCard({ deal, index, stages, usualDays, now, onMove, onOpen }: Props) {
  const slot: Slot = { stageId: deal.stage_id, index }
  const { isOver, setNodeRef: setPlaceRef } = useDroppable({ id: `${slot.stageId}:${index}`, data: { slot } })
  const { attributes, listeners, isDragging, setNodeRef, setActivatorNodeRef } = useDraggable({
    id: deal.id,
    data: { slot },
    attributes: { roleDescription: 'scheda da spostare' },
  })

  return (
    <li
      ref={(node) => {
        setPlaceRef(node)
        setNodeRef(node)
      }}
      className={clsx(
        'group relative grid gap-2 rounded-md border bg-card p-3 transition-colors',
        isDragging && 'opacity-50',
        isOver && !isDragging && 'border-t-primary shadow-[0_-3px_0_0_var(--color-primary)]',
      )}
      {...listeners}
    >
      <DealFace deal={deal} onOpen={() => onOpen(deal)}>
        {usualDays !== undefined && <Age days={daysInStage(deal, now)} usualDays={usualDays} />}
      </DealFace>
      <button
        ref={setActivatorNodeRef}
        type="button"
        aria-label={`Sposta ${deal.title}`}
        className="absolute top-1 right-1 grid size-8 cursor-grab touch-none place-items-center rounded-sm text-muted-foreground hover:bg-muted max-md:hidden"
        {...attributes}
      >
        <GripVerticalIcon aria-hidden className="size-4" />
      </button>
      <Select
        aria-label={`Fase di ${deal.title}`}
        value={deal.stage_id}
        className="text-sm md:hidden"
        onChange={(event) => onMove(deal, { stageId: event.target.value, index: 0 })}
      >
        {stages.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </li>
  )
}

type FaceProps = { deal: Deal; onOpen?: () => void; children?: ReactNode }

/** What a card says; the same under the pointer while it is dragged. */
export function DealFace({ deal, onOpen, children }: FaceProps) {
  const { title, contact, amount_cents, expected_close, lost_reason, taskCount } = deal
  return (
    <>
      <div className="grid gap-0.5 md:pr-7">
        {onOpen ? (
          <button type="button" onClick={onOpen} className="text-left text-sm font-medium break-words hover:underline">
            {title}
          </button>
        ) : (
          <p className="text-sm font-medium break-words">{title}</p>
        )}
        {contact && <p className="truncate text-xs text-muted-foreground">{contact.name}</p>}
      </div>
      <p className="text-sm font-semibold tabular">{formatEuro(amount_cents)}</p>
      <div className="flex flex-wrap justify-between gap-x-2 text-xs text-muted-foreground tabular">
        {expected_close && <span>entro il {shortDate(expected_close)}</span>}
        {taskCount > 0 && <span>{countOfTasks(taskCount)}</span>}
        {lost_reason && <span className="break-words">{lost_reason}</span>}
        {children}
      </div>
    </>
  )
}

/** Days in the stage; red when that is longer than usual for this person. */
function Age({ days, usualDays }: { days: number; usualDays: number }) {
  const isLate = days > usualDays
  return (
    <span
      className={clsx(isLate && 'font-semibold text-error')}
      title={isLate ? 'Più a lungo del tuo solito' : undefined}
    >
      {days === 0 ? 'da oggi' : days === 1 ? 'da 1 giorno' : `da ${days} giorni`}
      {isLate && <span className="sr-only">, più a lungo del tuo solito</span>}
    </span>
  )
}
