/** What the outbox adds to the lists of the server. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { type OutboxEntry, outboxQuery } from '@/data/outbox'
import type { NewTask, Task } from '@/data/tasks'

/** The row as the database will fill it. */
const taskOf = (userId: string, row: NewTask & { id: string }, writtenAt: string): Task => ({
  completed_at: null,
  contact: null,
  contact_id: null,
  deal_id: null,
  due_at: null,
  due_is_allday: true,
  notes: null,
  origin: 'manuale',
  parent_id: null,
  position: '!',
  previous_id: null,
  priority: 0,
  project_id: null,
  remind_at: [],
  repeat_from: 'scadenza',
  rrule: null,
  series_id: null,
  someday: false,
  state: 'da_fare',
  waiting: null,
  waiting_for: null,
  ...row,
  created_at: writtenAt,
  deleted_at: null,
  next_remind_at: null,
  reminded_at: null,
  updated_at: writtenAt,
  user_id: userId,
})

/** `tasks` as they will be once all of `entries` is sent; of what was refused only the new ones show, and say so. */
function withKept(userId: string, tasks: readonly Task[], entries: readonly OutboxEntry[]): Task[] {
  const shown = new Map(tasks.map((task) => [task.id, task]))
  for (const entry of entries) {
    const kept = entry.refusal ? 'refused' : 'waiting'
    if (entry.kind === 'add') {
      for (const row of entry.rows)
        if (!shown.has(row.id)) shown.set(row.id, { ...taskOf(userId, row, entry.writtenAt), kept })
    } else if (entry.kind !== 'note' && !entry.refusal) {
      const isDone = entry.kind === 'complete'
      const change = { state: isDone ? 'fatto' : 'da_fare', completed_at: isDone ? entry.writtenAt : null } as const
      for (const task of shown.values()) {
        // The steps that are open are done with their task.
        const isStep = isDone && task.parent_id === entry.taskId && task.state !== 'fatto'
        if (task.id === entry.taskId || isStep) shown.set(task.id, { ...task, ...change, kept })
      }
    }
  }
  return [...shown.values()]
}

export function useWithKept(userId: string, tasks: readonly Task[]): readonly Task[] {
  const { data: entries } = useQuery(outboxQuery(userId))
  return useMemo(() => (entries?.length ? withKept(userId, tasks, entries) : tasks), [userId, tasks, entries])
}

/** The notes about a contact that the server does not have, the newest first. */
export function useKeptNotes(userId: string, contactId: string) {
  const { data: entries = [] } = useQuery(outboxQuery(userId))
  return entries
    .flatMap((entry) => (entry.kind === 'note' && entry.contactId === contactId ? [entry] : []))
    .toReversed()
}
