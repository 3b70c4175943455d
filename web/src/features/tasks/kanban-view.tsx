/**
 * Four columns by state. Cards are dragged, or moved with Alt and an arrow; the arrows alone walk over the board.
 */
import { DndContext, type DragEndEvent, DragOverlay, pointerWithin } from '@dnd-kit/core'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'

import { Kbd } from '@/components/ui/kbd'
import type { Project } from '@/data/projects'
import type { Task, TaskState } from '@/data/tasks'
import { ownWords, useDragSensors } from '@/features/tasks/drag'
import { KanbanCard } from '@/features/tasks/kanban-card'
import { KanbanColumn } from '@/features/tasks/kanban-column'
import { byPlace, type Item } from '@/features/tasks/model'
import { useFollowedFocus } from '@/features/tasks/use-followed-focus'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { placesAt } from '@/lib/fractional-position'
import { taskStates } from '@/strings/tasks'

const states = Object.keys(taskStates) as TaskState[]

const arrows: Record<string, [across: number, down: number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
}

type Props = {
  items: readonly Item[]
  now: string
  projects: ReadonlyMap<string, Project>
  actions: TaskActions
  onOpen: (task: Task) => void
  /** Asks for more of what is done; null when all is there. */
  onMoreDone: (() => void) | null
}

export function KanbanView({ items, now, projects, actions, onOpen, onMoreDone }: Props) {
  const board = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<Item | null>(null)
  const [told, setTold] = useState('')
  const follow = useFollowedFocus(board)
  const sensors = useDragSensors()
  const columns = useMemo(() => new Map(states.map((state) => [state, columnOf(items, state)])), [items])

  /** Puts `item` before the card at `index` of the column, counted without itself. */
  function place(item: Item, state: TaskState, index: number) {
    const { task } = item
    const others = (columns.get(state) ?? []).filter((one) => one.task.id !== task.id)
    setTold(`${task.title}: ${taskStates[state]}, posto ${Math.min(index, others.length) + 1}`)
    if (state === 'fatto') return task.state === 'fatto' ? undefined : void actions.complete([task])
    const places = placesAt(
      others.map((one) => one.task),
      task.id,
      index,
    )
    return void (task.state === 'fatto'
      ? actions.reopen(task.id).then(() => actions.place(task.id, places, { state }))
      : actions.place(task.id, places, { state }))
  }

  function onDragEnd({ over, activatorEvent, delta }: DragEndEvent) {
    const item = dragged
    setDragged(null)
    if (!item || !over) return
    const { state, index } = over.data.current as { state: TaskState; index: number }
    const column = columns.get(state) ?? []
    if (column[index]?.task.id === item.task.id) return
    // Above or below the middle of the card under the pointer; the column itself is its end.
    const pointerY = startOf(activatorEvent) + delta.y
    const isBelow = index < column.length && pointerY > over.rect.top + over.rect.height / 2
    const target = isBelow ? index + 1 : index
    const own = column.findIndex(({ task }) => task.id === item.task.id)
    place(item, state, own !== -1 && own < target ? target - 1 : target)
  }

  const focusOn = ({ task }: Item) => board.current?.querySelector<HTMLElement>(`[data-card="${task.id}"]`)?.focus()

  function onKeyDown(event: KeyboardEvent, item: Item) {
    const [across, down] = arrows[event.key] ?? [0, 0]
    const state = states[states.indexOf(item.task.state) + across]
    if (across === down || !state) return
    event.preventDefault()
    const column = columns.get(state) ?? []
    const own = columns.get(item.task.state) ?? []
    const index = own.findIndex(({ task }) => task.id === item.task.id) + down
    if (!event.altKey) {
      const next = column[across ? Math.min(index, column.length - 1) : index]
      if (next) focusOn(next)
    } else if (across || column[index]) {
      place(item, state, across ? 0 : index)
      follow(item.task.id)
    }
  }

  return (
    <DndContext
      sensors={sensors}
      accessibility={ownWords}
      collisionDetection={pointerWithin}
      onDragStart={({ active }) => setDragged(items.find(({ task }) => task.id === active.id) ?? null)}
      onDragCancel={() => setDragged(null)}
      onDragEnd={onDragEnd}
    >
      <div
        ref={board}
        role="group"
        aria-label="Lavagna"
        // Without cards nothing inside could be reached, and the arrows scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="-mx-4 flex snap-x gap-3 overflow-x-auto px-4 pb-2 sm:-mx-6 sm:px-6 lg:mx-0 lg:grid lg:grid-cols-4 lg:overflow-visible lg:px-0"
      >
        {states.map((state) => (
          <KanbanColumn
            key={state}
            state={state}
            items={columns.get(state) ?? []}
            now={now}
            projects={projects}
            onToggle={(task) => void actions.toggle(task)}
            onOpen={onOpen}
            onKeyDown={onKeyDown}
            onMore={state === 'fatto' ? onMoreDone : null}
          />
        ))}
      </div>
      <p className="hidden text-xs text-muted-foreground lg:block">
        Le frecce passano da una scheda all’altra, <Kbd>Alt</Kbd> e una freccia la spostano, <Kbd>e</Kbd> la completa
      </p>
      <p role="status" className="sr-only">
        {told}
      </p>
      <DragOverlay dropAnimation={null}>
        {dragged && (
          <KanbanCard item={dragged} now={now} project={projects.get(dragged.task.project_id ?? '')} isLifted />
        )}
      </DragOverlay>
    </DndContext>
  )
}

/** Where on the screen a finger or the mouse took hold. */
function startOf(event: Event): number {
  const point = event instanceof MouseEvent ? event : (event as TouchEvent).touches[0]
  return point?.clientY ?? 0
}

/** What is done has its order from the clock. */
const columnOf = (items: readonly Item[], state: TaskState): Item[] => {
  const column = items.filter(({ task }) => task.state === state && !task.parent_id)
  return state === 'fatto'
    ? column.toSorted((a, b) => Date.parse(b.task.completed_at ?? '') - Date.parse(a.task.completed_at ?? ''))
    : column.toSorted(byPlace)
}
