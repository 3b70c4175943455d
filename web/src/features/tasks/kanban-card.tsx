import { useDraggable, useDroppable } from '@dnd-kit/core'

import type { KeyboardEvent } from 'react'

import type { Project } from '@/data/projects'
import type { Task } from '@/data/tasks'
import type { Item } from '@/features/tasks/model'
import { TaskFacts } from '@/features/tasks/task-row'
import { cn } from '@/lib/cn'

type LookProps = { item: Item; now: string; project: Project | undefined; isLifted?: boolean }

/** What a card shows, in its column and under the pointer. */
export function KanbanCard({ item, now, project, isLifted = false }: LookProps) {
  const { task, isDone } = item
  return (
    <span
      className={cn(
        'grid w-full gap-1 rounded-md border bg-card px-3 py-2.5 text-left text-sm',
        task.priority === 3 && !isDone && 'border-l-4 border-l-terracotta',
        isLifted && 'shadow-float',
      )}
    >
      <span className={cn('break-words', isDone && 'text-muted-foreground line-through')}>{task.title}</span>
      <TaskFacts item={item} now={now} project={project} />
    </span>
  )
}

type CardProps = Omit<LookProps, 'isLifted'> & {
  index: number
  onToggle: (task: Task) => void
  onOpen: (task: Task) => void
  onKeyDown: (event: KeyboardEvent, item: Item) => void
}

/** A card that can be picked up, and on which another can be put down. */
export function DraggableCard({ item, index, now, project, onToggle, onOpen, onKeyDown }: CardProps) {
  const { task } = item
  const drag = useDraggable({ id: task.id })
  const drop = useDroppable({ id: `on-${task.id}`, data: { state: task.state, index } })
  return (
    <button
      ref={(node) => {
        drag.setNodeRef(node)
        drop.setNodeRef(node)
      }}
      {...drag.listeners}
      data-card={task.id}
      data-task={task.id}
      aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown e"
      onClick={() => onOpen(task)}
      onKeyDown={(event) => {
        if (event.key === 'e' && !event.metaKey && !event.ctrlKey && !event.altKey) onToggle(task)
        else onKeyDown(event, item)
      }}
      className={cn(
        'block w-full touch-manipulation rounded-md',
        drag.isDragging && 'opacity-40',
        drop.isOver && !drag.isDragging && 'border-t-2 border-primary',
      )}
    >
      <KanbanCard item={item} now={now} project={project} />
    </button>
  )
}
