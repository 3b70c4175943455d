/** Month and week, Monday first, with the Italian holidays by name. Tasks are dragged to another day, or moved with Alt and an arrow. */
import { DndContext, type DragEndEvent, DragOverlay, pointerWithin } from '@dnd-kit/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeftIcon, ChevronRightIcon, ReceiptEuroIcon } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { type FallingDue, fallingDueQuery } from '@/data/due-dates'
import type { Task } from '@/data/tasks'
import { CalendarDay, TaskChip } from '@/features/tasks/calendar-day'
import { ownWords, useDragSensors } from '@/features/tasks/drag'
import { dueShown } from '@/features/tasks/due'
import { byDue, calendarDays, type Filters, type Item } from '@/features/tasks/model'
import { useFollowedFocus } from '@/features/tasks/use-followed-focus'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { cn } from '@/lib/cn'
import { holidayName } from '@/lib/holidays'
import { addDays, addMonths } from '@/lib/rome-time'
import { dayInFull, monthAndYear, weekdays } from '@/strings/tasks'

type Props = {
  userId: string
  filters: Filters
  /** Whether invoices and documents are shown on the day they fall due. */
  showsDue: boolean
  items: readonly Item[]
  now: string
  /** The day around which to look. */
  day: string
  period: 'mese' | 'settimana'
  actions: TaskActions
  onGo: (change: { giorno?: string | null; periodo?: string | null; scadenze?: string | null }) => void
  onOpen: (task: Task) => void
}

const NOTHING_DUE: readonly FallingDue[] = []

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

export function CalendarView({ userId, filters, showsDue, items, now, day, period, actions, onGo, onOpen }: Props) {
  const grid = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<Item | null>(null)
  const [told, setTold] = useState('')
  const follow = useFollowedFocus(grid)
  const sensors = useDragSensors()
  const today = now.slice(0, 10)
  const days = calendarDays(day, period)
  const byDay = useMemo(() => Map.groupBy(items.toSorted(byDue), (item) => item.day ?? ''), [items])
  const falling = useQuery({ ...fallingDueQuery(userId, days[0] ?? day, days.at(-1) ?? day), enabled: showsDue })
  const dueByDay = Map.groupBy(
    showsDue ? dueShown(falling.data ?? NOTHING_DUE, items, filters) : NOTHING_DUE,
    (one) => one.day,
  )

  function put({ task }: Item, target: string) {
    const holiday = holidayName(target)
    setTold(`${task.title}: ${dayInFull(target)}${holiday ? `, ${holiday}` : ''}`)
    void actions.moveTo(task, target)
  }

  function onDragEnd({ over }: DragEndEvent) {
    if (dragged && over && over.id !== dragged.day) put(dragged, String(over.id))
    setDragged(null)
  }

  function onKeyDown(event: KeyboardEvent, item: Item) {
    const step = steps[event.key]
    if (!item.day || !step || !event.altKey) return
    event.preventDefault()
    put(item, addDays(item.day, step))
    follow(item.task.id)
  }

  const turn = (step: 1 | -1) => onGo({ giorno: period === 'mese' ? addMonths(day, step) : addDays(day, 7 * step) })

  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 aria-live="polite" className="mr-auto text-xl font-semibold first-letter:uppercase max-sm:w-full">
          {monthAndYear(day)}
        </h2>
        <Button
          variant="outline"
          size="icon"
          aria-label={`${period === 'mese' ? 'Mese' : 'Settimana'} prima`}
          onClick={() => turn(-1)}
        >
          <ChevronLeftIcon aria-hidden />
        </Button>
        <Button variant="outline" onClick={() => onGo({ giorno: null })}>
          Oggi
        </Button>
        <Button
          variant="outline"
          size="icon"
          aria-label={`${period === 'mese' ? 'Mese' : 'Settimana'} dopo`}
          onClick={() => turn(1)}
        >
          <ChevronRightIcon aria-hidden />
        </Button>
        <Button
          variant="outline"
          aria-pressed={showsDue}
          title="Mostra le scadenze di fatture e documenti"
          className={cn(!showsDue && 'text-muted-foreground line-through')}
          onClick={() => onGo({ scadenze: showsDue ? 'no' : null })}
        >
          <ReceiptEuroIcon aria-hidden /> Scadenze
        </Button>
        <div role="group" aria-label="Periodo" className="flex rounded-md border bg-card p-0.5">
          {(['mese', 'settimana'] as const).map((one) => (
            <button
              key={one}
              aria-pressed={period === one}
              onClick={() => onGo({ periodo: one === 'mese' ? null : one })}
              className={cn(
                'min-h-10 rounded-sm px-3 text-sm font-medium capitalize',
                period === one ? 'bg-secondary text-secondary-foreground' : 'text-muted-foreground',
              )}
            >
              {one}
            </button>
          ))}
        </div>
      </div>
      {falling.isError && showsDue && (
        <LoadError
          text="Non riusciamo a leggere le scadenze di fatture e documenti. Le attività ci sono tutte."
          onRetry={() => void falling.refetch()}
        />
      )}
      <DndContext
        sensors={sensors}
        accessibility={ownWords}
        collisionDetection={pointerWithin}
        onDragStart={({ active }) => setDragged(items.find(({ task }) => task.id === active.id) ?? null)}
        onDragCancel={() => setDragged(null)}
        onDragEnd={onDragEnd}
      >
        <div ref={grid} role="group" aria-label={`Calendario di ${monthAndYear(day)}`}>
          <div aria-hidden className="hidden grid-cols-7 gap-px pb-1 sm:grid">
            {weekdays.map((name) => (
              <span key={name} className="px-1 text-xs font-medium text-muted-foreground">
                {name.slice(0, 3)}
              </span>
            ))}
          </div>
          <div className="grid gap-px overflow-hidden rounded-md border bg-border sm:grid-cols-7">
            {days.map((one) => (
              <CalendarDay
                key={one}
                day={one}
                items={byDay.get(one) ?? []}
                due={dueByDay.get(one) ?? NOTHING_DUE}
                now={now}
                isToday={one === today}
                isOutside={period === 'mese' && one.slice(0, 7) !== day.slice(0, 7)}
                isTall={period === 'settimana'}
                onOpen={onOpen}
                onKeyDown={onKeyDown}
              />
            ))}
          </div>
        </div>
        <DragOverlay dropAnimation={null}>{dragged && <TaskChip item={dragged} now={now} isLifted />}</DragOverlay>
      </DndContext>
      <p className="hidden text-xs text-muted-foreground lg:block">
        Trascina un’attività su un altro giorno, o spostala con <Kbd>Alt</Kbd> e una freccia
      </p>
      <p role="status" className="sr-only">
        {told}
      </p>
    </div>
  )
}
