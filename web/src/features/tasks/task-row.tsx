/** One task in a list: tick it, open it. */
import { FlagIcon, HourglassIcon, ListChecksIcon, RepeatIcon, UserRoundIcon } from 'lucide-react'
import { memo, type MouseEvent, type ReactNode } from 'react'

import { Tick } from '@/components/tick'
import { WaitsForNetwork } from '@/components/waits-for-network'
import type { Project } from '@/data/projects'
import type { Task } from '@/data/tasks'
import { dueText, isLate, type Item } from '@/features/tasks/model'
import { ProjectDot } from '@/features/tasks/project-dot'
import { cn } from '@/lib/cn'
import { useLongPress } from '@/lib/long-press'
import { dayInFull, priorities } from '@/strings/tasks'

type Props = {
  item: Item
  /** The wall time in Italy. */
  now: string
  project: Project | undefined
  /** A click selects instead of opening. */
  isSelecting: boolean
  isSelected: boolean
  /** `isRange`: everything since the task selected last. */
  onSelect: (task: Task, isRange: boolean) => void
  onToggle: (task: Task) => void
  onOpen: (task: Task) => void
}

/** Drawn again only when it changes, not at every step of scrolling. */
export const TaskRow = memo(function TaskRow(props: Props) {
  const { item, now, project, isSelecting, isSelected, onSelect, onToggle, onOpen } = props
  const { task, isDone } = item
  const press = useLongPress(() => onSelect(task, false))

  function onClick({ shiftKey, ctrlKey, metaKey }: MouseEvent) {
    if (isSelecting || shiftKey || ctrlKey || metaKey) onSelect(task, shiftKey)
    else onOpen(task)
  }

  return (
    <div className={cn('flex items-start gap-1 rounded-md pr-2 pl-1', isSelected && 'bg-secondary')}>
      {isSelecting ? (
        <label className="grid size-11 shrink-0 cursor-pointer place-items-center">
          <input
            type="checkbox"
            aria-label={`Seleziona ${task.title}`}
            checked={isSelected}
            onChange={() => onSelect(task, false)}
            className="size-4.5 accent-primary"
          />
        </label>
      ) : (
        <Tick
          title={task.title}
          isDone={task.state === 'fatto'}
          isUrgent={task.priority === 3}
          onToggle={() => onToggle(task)}
        />
      )}
      <button
        {...press}
        data-task={task.id}
        onClick={onClick}
        className="grid min-h-11 min-w-0 flex-1 touch-manipulation scroll-mt-20 scroll-mb-28 content-center gap-0.5 rounded-md py-2 text-left focus-visible:-outline-offset-2"
      >
        <span className={cn('break-words', isDone && 'text-muted-foreground line-through')}>
          {task.title}
          {isSelected && <span className="sr-only"> (selezionata)</span>}
        </span>
        <TaskFacts item={item} now={now} project={project} />
      </button>
    </div>
  )
})

/** When, whose, how far: nothing at all for a task that is only a title. */
export function TaskFacts({ item, now, project }: { item: Item; now: string; project: Project | undefined }) {
  const { task, day, time, steps } = item
  const facts: ReactNode[] = []
  if (day) {
    facts.push(
      <time
        key="due"
        dateTime={time ? `${day}T${time}` : day}
        title={dayInFull(day)}
        className={cn(isLate(item, now) && 'font-medium text-error')}
      >
        {dueText(day, time, now)}
      </time>,
    )
  }
  if (task.rrule) facts.push(<Fact key="repeat" icon={<RepeatIcon role="img" aria-label="Si ripete" />} />)
  if (task.priority > 0) {
    const label = `Priorità ${priorities[task.priority]?.toLowerCase()}`
    const isHigh = task.priority === 3
    facts.push(
      <Fact
        key="priority"
        icon={<FlagIcon role="img" aria-label={label} className={cn(isHigh && 'text-terracotta')} />}
      />,
    )
  }
  if (steps.total > 0)
    facts.push(
      <Fact key="steps" icon={<ListChecksIcon role="img" aria-label="Sotto-attività" />}>
        {steps.done}/{steps.total}
      </Fact>,
    )
  if (task.contact?.name)
    facts.push(
      <Fact key="contact" icon={<UserRoundIcon role="img" aria-label="Contatto" />}>
        {task.contact.name}
      </Fact>,
    )
  if (task.waiting?.name)
    facts.push(
      <Fact key="waiting" icon={<HourglassIcon role="img" aria-label="In attesa di" />}>
        {task.waiting.name}
      </Fact>,
    )
  if (project)
    facts.push(
      <Fact key="project" icon={<ProjectDot color={project.color} />}>
        <span className="sr-only">Progetto </span>
        {project.name}
      </Fact>,
    )
  if (task.kept) facts.push(<WaitsForNetwork key="kept" isRefused={task.kept === 'refused'} />)
  if (facts.length === 0) return null
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted-foreground tabular">
      {facts}
    </span>
  )
}

function Fact({ icon, children }: { icon: ReactNode; children?: ReactNode }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1 [&>svg]:size-3.5 [&>svg]:shrink-0">
      {icon}
      {children && <span className="truncate">{children}</span>}
    </span>
  )
}
