/** One state of the board; only the cards near the visible part are in the page. */
import { useDroppable } from '@dnd-kit/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useRef } from 'react'

import { Button } from '@/components/ui/button'
import type { Project } from '@/data/projects'
import type { Task, TaskState } from '@/data/tasks'
import { DraggableCard } from '@/features/tasks/kanban-card'
import type { Item } from '@/features/tasks/model'
import { cn } from '@/lib/cn'
import { taskStates } from '@/strings/tasks'

const cardHeight = () => 92

type Props = {
  state: TaskState
  items: Item[]
  now: string
  projects: ReadonlyMap<string, Project>
  onToggle: (task: Task) => void
  onOpen: (task: Task) => void
  onKeyDown: (event: KeyboardEvent, item: Item) => void
  onMore: (() => void) | null
}

export function KanbanColumn({ state, items, now, projects, onToggle, onOpen, onKeyDown, onMore }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const { setNodeRef, isOver } = useDroppable({ id: state, data: { state, index: items.length } })
  const getItemKey = useCallback((index: number) => items[index]?.task.id ?? index, [items])
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: cardHeight,
    getItemKey,
    overscan: 8,
    // Before the page is laid out the cards are there already, for readers and tests.
    initialRect: { width: 300, height: 800 },
  })
  return (
    <section
      aria-label={taskStates[state]}
      className="flex w-[82vw] max-w-80 shrink-0 snap-center flex-col gap-2 lg:w-auto lg:max-w-none"
    >
      <h2 className="text-sm font-medium text-muted-foreground">
        {taskStates[state]} <span className="font-normal tabular">{items.length.toLocaleString('it-IT')}</span>
      </h2>
      <div
        ref={(node) => {
          scroller.current = node
          setNodeRef(node)
        }}
        className={cn(
          'h-[60dvh] min-h-72 overflow-y-auto rounded-md bg-muted p-2 transition-colors',
          isOver && 'outline-2 -outline-offset-2 outline-ring outline-dashed',
        )}
      >
        {items.length === 0 && <p className="p-3 text-sm text-muted-foreground">Niente qui.</p>}
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index]
            return (
              item && (
                <li
                  key={key}
                  ref={rows.measureElement}
                  data-index={index}
                  className="absolute inset-x-0 top-0 pb-2"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <DraggableCard
                    item={item}
                    index={index}
                    now={now}
                    project={projects.get(item.task.project_id ?? '')}
                    onToggle={onToggle}
                    onOpen={onOpen}
                    onKeyDown={onKeyDown}
                  />
                </li>
              )
            )
          })}
        </ul>
        {onMore && (
          <Button variant="ghost" size="sm" className="w-full" onClick={onMore}>
            Mostra altre
          </Button>
        )}
      </div>
    </section>
  )
}
