import { useDroppable } from '@dnd-kit/core'
import { clsx } from 'clsx'

import type { Deal, Stage } from '@/data/deals'
import type { Column, Slot } from '@/features/crm-deals/board'
import { DealCard } from '@/features/crm-deals/deal-card'
import { formatEuro } from '@/strings/numbers'

type Props = {
  column: Column
  stages: Stage[]
  usualDays: number | undefined
  now: Date
  isShownOnPhone: boolean
  onMove: (deal: Deal, slot: Slot) => void
  onOpen: (deal: Deal) => void
}

export function DealColumn({ column, stages, usualDays, now, isShownOnPhone, onMove, onOpen }: Props) {
  const { stage, deals, totalCents, weightedCents } = column
  return (
    <section
      aria-label={stage.name}
      className={clsx(
        'w-full flex-col gap-2 md:flex md:w-48 md:shrink-0 xl:w-0 xl:min-w-0 xl:flex-1',
        isShownOnPhone ? 'flex' : 'hidden',
      )}
    >
      <header className="grid gap-0.5 px-1">
        <h2 className="flex items-baseline justify-between gap-2 text-sm font-semibold">
          {stage.name}
          <span className="font-normal text-muted-foreground tabular">
            {deals.length}
            <span className="sr-only"> {deals.length === 1 ? 'trattativa' : 'trattative'}</span>
          </span>
        </h2>
        <p className="text-sm tabular">{formatEuro(totalCents)}</p>
        <p className="text-xs text-muted-foreground tabular">
          {stage.kind === 'aperta' ? `ponderato ${formatEuro(weightedCents)}` : 'negli ultimi 12 mesi'}
        </p>
      </header>
      <ul className="flex flex-1 flex-col gap-2">
        {deals.map((deal, index) => (
          <DealCard
            key={deal.id}
            deal={deal}
            index={index}
            stages={stages}
            usualDays={usualDays}
            now={now}
            onMove={onMove}
            onOpen={onOpen}
          />
        ))}
        <End slot={{ stageId: stage.id, index: deals.length }} isEmpty={deals.length === 0} />
      </ul>
    </section>
  )
}

/** What is left of the column below its cards: the place behind the last one. */
function End({ slot, isEmpty }: { slot: Slot; isEmpty: boolean }) {
  const { setNodeRef, isOver } = useDroppable({ id: `${slot.stageId}:${slot.index}`, data: { slot } })
  return (
    <li
      ref={setNodeRef}
      className={clsx(
        'flex-1 rounded-md border border-dashed p-3 text-center text-xs text-muted-foreground transition-colors max-md:hidden',
        isEmpty ? 'min-h-24' : 'min-h-12',
        isOver ? 'border-primary bg-secondary' : isEmpty ? 'border-border' : 'border-transparent',
      )}
    >
      {isEmpty && 'Nessuna trattativa'}
    </li>
  )
}
