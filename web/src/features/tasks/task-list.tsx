/**
 * Tasks under headings. Only what is near the window is in the page, so ten thousand scroll like ten.
 * `j` and `k` move, `e` completes, `x` selects; so do Ctrl and a click, «Seleziona», and a finger that rests.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ListChecksIcon } from 'lucide-react'
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import type { Project } from '@/data/projects'
import type { Task } from '@/data/tasks'
import type { Item, Section } from '@/features/tasks/model'
import { SelectionBar } from '@/features/tasks/selection-bar'
import { TaskRow } from '@/features/tasks/task-row'
import { useSelection } from '@/features/tasks/use-selection'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { cn } from '@/lib/cn'
import { useShortcut } from '@/lib/shortcut'

type Props = {
  sections: Section[]
  now: string
  projects: ReadonlyMap<string, Project>
  actions: TaskActions
  onOpen: (task: Task) => void
}

/** Until they are measured. */
const HEADING_PX = 48
const ROW_PX = 60

type Line = { key: string; heading: Section } | { key: string; item: Item }

const linesOf = (sections: Section[]): Line[] =>
  sections.flatMap((section): Line[] => [
    { key: section.id, heading: section },
    ...section.items.map((item) => ({ key: `${section.id}-${item.task.id}`, item })),
  ])

export function TaskList({ sections, now, projects, actions, onOpen }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  // Drawn anew at every step of scrolling: what does not depend on the place is kept.
  const lines = useMemo(() => linesOf(sections), [sections])
  const items = useMemo(() => sections.flatMap((section) => section.items), [sections])
  const { isSelecting, select, selected, ...selection } = useSelection(items)
  const getItemKey = useCallback((index: number) => lines[index]?.key ?? index, [lines])
  const estimateSize = useCallback(
    (index: number) => (lines[index] && 'heading' in lines[index] ? HEADING_PX : ROW_PX),
    [lines],
  )
  // oxlint-disable-next-line react/incompatible-library
  const rows = useWindowVirtualizer({
    count: lines.length,
    estimateSize,
    getItemKey,
    overscan: 12,
    scrollMargin: offset,
  })
  // What stands above the list may grow and shrink.
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), [sections])

  const focused = () => {
    const id = document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-task]')?.dataset.task
    return items.find(({ task }) => task.id === id)?.task
  }

  function move(step: 1 | -1) {
    const tasks = lines.flatMap((line, index) => ('item' in line ? [index] : []))
    const row = document.activeElement?.closest<HTMLElement>('li[data-index]')
    const at = row && list.current?.contains(row) ? tasks.indexOf(Number(row.dataset.index)) : -1
    const target = tasks[at === -1 ? (step === 1 ? 0 : tasks.length - 1) : at + step]
    if (target === undefined) return
    const button = () => list.current?.querySelector<HTMLElement>(`li[data-index="${target}"] [data-task]`)
    if (button()) return button()?.focus()
    // Beyond what is in the page: it comes by scrolling.
    rows.scrollToIndex(target)
    requestAnimationFrame(() => button()?.focus())
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('e', () => {
    const task = focused()
    if (task) void actions.toggle(task)
  })
  useShortcut('x', () => {
    const task = focused()
    if (task) select(task, false)
  })
  useShortcut('Escape', selection.end)

  return (
    <>
      {/* The button stands in the line of the first heading. */}
      <div>
        {!isSelecting && (
          <Button
            variant="ghost"
            size="sm"
            className="relative z-10 float-right -mt-2 text-muted-foreground"
            onClick={selection.start}
          >
            <ListChecksIcon aria-hidden /> Seleziona
          </Button>
        )}
        <ul ref={list} aria-label="Attività" className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index]
            if (!line) return null
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start - offset}px)` }}
              >
                {'heading' in line ? (
                  <Heading section={line.heading} isFirst={index === 0} />
                ) : (
                  <div className="border-b">
                    <TaskRow
                      item={line.item}
                      now={now}
                      project={projects.get(line.item.task.project_id ?? '')}
                      isSelecting={isSelecting}
                      isSelected={selected.has(line.item.task.id)}
                      onSelect={select}
                      onToggle={actions.toggle}
                      onOpen={onOpen}
                    />
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      </div>
      {isSelecting && (
        <SelectionBar
          tasks={selection.tasks}
          today={now.slice(0, 10)}
          projects={projects}
          actions={actions}
          onSelectAll={selection.selectAll}
          onDone={selection.end}
        />
      )}
    </>
  )
}

function Heading({ section, isFirst }: { section: Section; isFirst: boolean }) {
  return (
    <h2
      className={cn(
        'pb-1.5 text-sm font-medium text-muted-foreground',
        isFirst ? 'pt-0' : 'pt-6',
        section.tone === 'late' && 'text-error',
      )}
    >
      {section.title} <span className="font-normal tabular">{section.items.length.toLocaleString('it-IT')}</span>
    </h2>
  )
}
