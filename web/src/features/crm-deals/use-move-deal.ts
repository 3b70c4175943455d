/** Moves a deal to another place, asks why one is lost, and takes the move back on request. */
import { useState } from 'react'
import { toast } from 'sonner'

import { type Deal, useChangeDeal } from '@/data/deals'
import { type Column, isLoss, isSamePlace, positionIn, type Slot } from '@/features/crm-deals/board'

const UNDO_MS = 8_000

type Pending = { deal: Deal; slot: Slot }

export function useMoveDeal(userId: string, columns: readonly Column[]) {
  const change = useChangeDeal(userId)
  const [pending, setPending] = useState<Pending | null>(null)

  function place({ id, title, stage_id, position, lost_reason, stage_since }: Deal, slot: Slot, reason: string | null) {
    const column = columns.find(({ stage }) => stage.id === slot.stageId)
    if (!column) return
    const hasNewStage = stage_id !== slot.stageId
    const onError = () =>
      toast.error('Non siamo riusciti a spostare la trattativa: è rimasta dov’era.', { description: title })
    const undo = () =>
      change.mutate({ id, change: { stage_id, position, lost_reason }, shows: { stage_since } }, { onError })
    change.mutate(
      {
        id,
        change: { stage_id: slot.stageId, position: positionIn(column, id, slot.index), lost_reason: reason },
        ...(hasNewStage && { shows: { stage_since: new Date().toISOString() } }),
      },
      { onError },
    )
    if (!hasNewStage) return
    toast(`Spostata in «${column.stage.name}»`, {
      description: title,
      duration: UNDO_MS,
      action: { label: 'Annulla', onClick: undo },
    })
  }

  return {
    /** Puts `deal` into `slot`; into the lost ones only after the question why. */
    move: (deal: Deal, slot: Slot) => {
      if (isSamePlace(columns, deal.id, slot)) return
      const target = columns.find(({ stage }) => stage.id === slot.stageId)?.stage
      if (target && isLoss(target, deal)) setPending({ deal, slot })
      else place(deal, slot, deal.stage_id === slot.stageId ? deal.lost_reason : null)
    },
    /** The deal about which is asked why it is lost. */
    losing: pending?.deal ?? null,
    lose: (reason: string | null) => {
      if (pending) place(pending.deal, pending.slot, reason)
      setPending(null)
    },
    keep: () => setPending(null),
  }
}
