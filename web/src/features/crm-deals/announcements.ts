/** What a screen reader says while a deal is moved over the board. */
import type { Active, Announcements, DataRef, Over } from '@dnd-kit/core'

import { type Column, isLoss, placeIn, type Slot } from '@/features/crm-deals/board'

export const slotOf = (data: DataRef | undefined): Slot | null => (data?.current?.slot as Slot | undefined) ?? null

export function announcementsOf(columns: readonly Column[]): Announcements {
  const dealOf = ({ id }: Active) => columns.flatMap(({ deals }) => deals).find((deal) => deal.id === id)
  const columnOf = (over: Over | null) => columns.find(({ stage }) => stage.id === slotOf(over?.data)?.stageId)
  const place = (active: Active, over: Over | null): string => {
    const slot = slotOf(over?.data)
    const column = columnOf(over)
    if (!slot || !column) return 'fuori dalle colonne'
    return `${column.stage.name}, posto ${placeIn(column, String(active.id), slot.index)}`
  }

  return {
    onDragStart: ({ active }) => `Hai preso «${dealOf(active)?.title}».`,
    onDragOver: ({ active, over }) => place(active, over),
    onDragEnd: ({ active, over }) => {
      const [deal, column] = [dealOf(active), columnOf(over)]
      if (!deal || !column) return 'Spostamento annullato.'
      // It lies there only when the question is answered.
      if (isLoss(column.stage, deal)) return `«${deal.title}» è andata persa? Rispondi alla domanda.`
      return `Lasciata in ${place(active, over)}.`
    },
    onDragCancel: () => 'Spostamento annullato.',
  }
}
