/** Which tasks of a list are selected, and whether a click selects or opens. */
import { useCallback, useRef, useState } from 'react'

import type { Task } from '@/data/tasks'
import type { Item } from '@/features/tasks/model'

const NOTHING: ReadonlySet<string> = new Set()

export function useSelection(items: readonly Item[]) {
  const [selected, setSelected] = useState(NOTHING)
  const [isSelecting, setSelecting] = useState(false)
  // Where a range starts: the task that was selected last.
  const anchor = useRef<string | null>(null)

  const select = useCallback(
    (task: Task, isRange: boolean) => {
      const range = isRange ? between(items, anchor.current, task.id) : null
      anchor.current = task.id
      setSelecting(true)
      setSelected((before) => {
        if (range) return new Set([...before, ...range])
        const next = new Set(before)
        if (!next.delete(task.id)) next.add(task.id)
        return next
      })
    },
    [items],
  )

  return {
    /** In the order of the list; what is no longer there is not selected either. */
    tasks: selected.size === 0 ? [] : items.filter(({ task }) => selected.has(task.id)).map(({ task }) => task),
    selected,
    isSelecting,
    select,
    start: () => setSelecting(true),
    selectAll: () => setSelected(new Set(items.map(({ task }) => task.id))),
    end() {
      anchor.current = null
      setSelected(NOTHING)
      setSelecting(false)
    },
  }
}

/** The ids from one task to another, both included; null when one of them is not in the list. */
function between(items: readonly Item[], from: string | null, to: string): string[] | null {
  const [start, end] = [from, to].map((id) => items.findIndex(({ task }) => task.id === id)).toSorted((a, b) => a - b)
  if (start === undefined || end === undefined || start === -1) return null
  return items.slice(start, end + 1).map(({ task }) => task.id)
}
