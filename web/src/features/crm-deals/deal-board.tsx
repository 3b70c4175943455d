/**
 * The board: drag with the pointer, with a finger (after holding still), or with the keyboard (space, arrows, space). On
 * a phone one column at a time, and a list on each card instead of dragging.
 */
import {
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  type DragStartEvent,
  KeyboardCode,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { useId, useState } from 'react'

import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import type { Deal } from '@/data/deals'
import { announcementsOf, slotOf } from '@/features/crm-deals/announcements'
import { type Column, type Slot, slotBeside } from '@/features/crm-deals/board'
import { DealColumn } from '@/features/crm-deals/deal-column'
import { DealFace } from '@/features/crm-deals/deal-card'

type Props = {
  columns: Column[]
  /** After how many days a deal is late, by stage. */
  habits: ReadonlyMap<string, number>
  onMove: (deal: Deal, slot: Slot) => void
  onOpen: (deal: Deal) => void
}

const slotId = ({ stageId, index }: Slot) => `${stageId}:${index}`

/** Under the pointer; with the keyboard, whose corner the arrows have moved onto the corner of a place. */
const nearest: CollisionDetection = (args) => {
  if (args.pointerCoordinates) return pointerWithin(args)
  const { left, top } = args.collisionRect
  const distances = args.droppableContainers.flatMap((container) => {
    const rect = args.droppableRects.get(container.id)
    return rect ? [{ id: container.id, value: Math.hypot(rect.left - left, rect.top - top) }] : []
  })
  return distances.toSorted((one, other) => one.value - other.value).slice(0, 1)
}

export function DealBoard({ columns, habits, onMove, onOpen }: Props) {
  const id = useId()
  const [now] = useState(() => new Date())
  const [dragged, setDragged] = useState<Deal | null>(null)
  const [shownId, setShownId] = useState(columns[0]?.stage.id)

  const coordinateGetter: KeyboardCoordinateGetter = (event, { context }) => {
    const from = slotOf(context.over?.data) ?? slotOf(context.active?.data)
    const to = from && slotBeside(columns, String(context.active?.id), from, event.code)
    const rect = to && context.droppableRects.get(slotId(to))
    if (!rect) return undefined
    event.preventDefault()
    return { x: rect.left, y: rect.top }
  }
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter,
      keyboardCodes: {
        start: [KeyboardCode.Space, KeyboardCode.Enter],
        end: [KeyboardCode.Space, KeyboardCode.Enter],
        cancel: [KeyboardCode.Esc],
      },
    }),
  )

  const dealOf = (wanted: unknown) => columns.flatMap(({ deals }) => deals).find((deal) => deal.id === wanted)

  function onDragEnd({ active, over }: DragEndEvent) {
    setDragged(null)
    const deal = dealOf(active.id)
    const slot = slotOf(over?.data)
    if (deal && slot) onMove(deal, slot)
  }

  return (
    <>
      <div className="grid gap-1.5 md:hidden">
        <Label htmlFor={id}>Fase</Label>
        <Select id={id} value={shownId} onChange={(event) => setShownId(event.target.value)}>
          {columns.map(({ stage, deals }) => (
            <option key={stage.id} value={stage.id}>
              {stage.name} ({deals.length})
            </option>
          ))}
        </Select>
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={nearest}
        accessibility={{
          announcements: announcementsOf(columns),
          screenReaderInstructions: {
            draggable:
              'Premi spazio per prendere la trattativa, le frecce per spostarla, spazio per lasciarla, Esc per annullare.',
          },
        }}
        onDragStart={({ active }: DragStartEvent) => setDragged(dealOf(active.id) ?? null)}
        onDragEnd={onDragEnd}
        onDragCancel={() => setDragged(null)}
      >
        {/* Room for the shadow of focus, which scrolling would cut off. */}
        <div className="relative -m-1 flex gap-3 overflow-x-auto p-1" role="group" aria-label="Fasi delle trattative">
          {columns.map((column) => (
            <DealColumn
              key={column.stage.id}
              column={column}
              stages={columns.map(({ stage }) => stage)}
              usualDays={habits.get(column.stage.id)}
              now={now}
              isShownOnPhone={column.stage.id === shownId}
              onMove={onMove}
              onOpen={onOpen}
            />
          ))}
        </div>
        <DragOverlay dropAnimation={null}>
          {dragged && (
            <div className="rotate-1 cursor-grabbing rounded-md border border-primary bg-card p-3 shadow-float">
              <DealFace deal={dragged} />
            </div>
          )}
        </DragOverlay>
      </DndContext>
    </>
  )
}
