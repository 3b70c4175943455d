import { useDraggable, useDroppable } from '@dnd-kit/core'
import { type KeyboardEvent, useState } from 'react'

import { WaitsForNetwork } from '@/components/waits-for-network'
import type { FallingDue } from '@/data/due-dates'
import type { Task } from '@/data/tasks'
import { DueChip } from '@/features/tasks/due-chip'
import { isLate, type Item } from '@/features/tasks/model'
import { cn } from '@/lib/cn'
import { holidayName } from '@/lib/holidays'
import { dayInFull } from '@/strings/tasks'

type DayProps = {
  day: string
  items: Item[]
  /** Invoices and documents that fall due on it. */
  due: readonly FallingDue[]
  now: string
  isToday: boolean
  /** Of the month before or after. */
  isOutside: boolean
  isTall: boolean
  onOpen: (task: Task) => void
  onKeyDown: (event: KeyboardEvent, item: Item) => void
}

/** So many lines fit into a day of the month; the others come on demand. */
const FITTING = 3

export function CalendarDay({ day, items, due, now, isToday, isOutside, isTall, onOpen, onKeyDown }: DayProps) {
  const [isUnfolded, setUnfolded] = useState(false)
  const { setNodeRef, isOver } = useDroppable({ id: day })
  const holiday = holidayName(day)
  const isSunday = new Date(`${day}T00:00:00Z`).getUTCDay() === 0
  const isWhole = isTall || isUnfolded
  const shown = isWhole ? items : items.slice(0, FITTING)
  const shownDue = isWhole ? due : due.slice(0, FITTING - shown.length)
  const hidden = items.length - shown.length + due.length - shownDue.length
  return (
    <section
      ref={setNodeRef}
      data-day={day}
      aria-label={`${dayInFull(day)}${holiday ? `, ${holiday}` : ''}`}
      aria-current={isToday ? 'date' : undefined}
      className={cn(
        'flex min-w-0 flex-col gap-1 bg-card p-1.5 sm:min-h-28',
        isTall && 'sm:min-h-72',
        isOutside && 'bg-background max-sm:hidden',
        // On a phone a month is the list of its days with something on them.
        !isTall && items.length === 0 && due.length === 0 && !holiday && !isToday && 'max-sm:hidden',
        isOver && 'bg-secondary',
      )}
    >
      <p className="flex min-w-0 items-baseline gap-1.5 text-xs">
        <span
          className={cn(
            'tabular max-sm:hidden',
            isToday && 'rounded-full bg-primary px-1.5 font-semibold text-primary-foreground',
            !isToday && (holiday || isSunday) && 'font-semibold text-error',
            !isToday && !(holiday || isSunday) && isOutside && 'text-muted-foreground',
          )}
        >
          {Number(day.slice(8))}
        </span>
        <span className={cn('font-medium sm:hidden', isToday && 'text-primary', (holiday || isSunday) && 'text-error')}>
          {dayInFull(day)}
        </span>
        {holiday && (
          <span title={holiday} className="truncate text-error">
            {holiday}
          </span>
        )}
      </p>
      {shown.map((item) => (
        <DraggableChip key={item.task.id} item={item} now={now} onOpen={onOpen} onKeyDown={onKeyDown} />
      ))}
      {shownDue.map((one) => (
        <DueChip key={one.id} due={one} today={now.slice(0, 10)} />
      ))}
      {hidden > 0 && (
        <button
          onClick={() => setUnfolded(true)}
          className="min-h-8 rounded-sm px-1.5 text-left text-xs font-medium text-muted-foreground hover:bg-muted"
        >
          {hidden === 1 ? 'un’altra' : `altre ${hidden}`}
          <span className="sr-only"> del {dayInFull(day)}</span>
        </button>
      )}
    </section>
  )
}

type ChipProps = Pick<DayProps, 'now' | 'onOpen' | 'onKeyDown'> & { item: Item }

function DraggableChip({ item, now, onOpen, onKeyDown }: ChipProps) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: item.task.id })
  return (
    <button
      ref={setNodeRef}
      {...listeners}
      data-task={item.task.id}
      aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown"
      onClick={() => onOpen(item.task)}
      onKeyDown={(event) => onKeyDown(event, item)}
      className={cn('block w-full min-w-0 touch-manipulation rounded-sm', isDragging && 'opacity-40')}
    >
      <TaskChip item={item} now={now} />
    </button>
  )
}

/** A task in the calendar, in its day and under the pointer. */
export function TaskChip({ item, now, isLifted = false }: { item: Item; now: string; isLifted?: boolean }) {
  const { task, time, isDone } = item
  return (
    <span
      title={task.title}
      className={cn(
        'flex min-h-11 items-center gap-1 rounded-sm border-l-2 border-l-primary bg-secondary px-1.5 py-0.5 text-left text-sm text-secondary-foreground sm:min-h-7 sm:text-xs',
        task.priority === 3 && 'border-l-terracotta',
        isLate(item, now) && 'bg-error-tint text-error',
        isDone && 'bg-muted text-muted-foreground line-through',
        isLifted && 'shadow-float',
      )}
    >
      {time && <span className="shrink-0 tabular">{time}</span>}
      <span className="truncate">{task.title}</span>
      {task.kept && <WaitsForNetwork isRefused={task.kept === 'refused'} isShort />}
    </span>
  )
}
