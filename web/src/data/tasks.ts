/**
 * The tasks of the caller. What is still open is one list in the cache, asked for in pages, so that every
 * view, filter and count is answered without the network; what is done comes newest first, a page at a time.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Named = { id: string; name: string | null }

export type Task = Tables<'tasks'> & {
  contact: Named | null
  waiting: Named | null
  /** Set while the outbox holds it, or a change of it (data/kept.ts). */
  kept?: 'waiting' | 'refused'
}
export type TaskState = Enums<'task_state'>
export type NewTask = Database['public']['Tables']['tasks']['Insert']

export const tasksKey = (userId: string) => ['tasks', userId] as const

const CONTACT = 'contact:contacts!tasks_user_id_contact_id_fkey(id, name)'
const WAITING = 'waiting:contacts!tasks_user_id_waiting_for_fkey(id, name)'
/** For more at once Postgres, which does not know whose rows are many, reads all of a person's tasks and contacts. */
const OPEN_PAGE_SIZE = 250
const MOST_SUBTASKS = 1_000
const DONE_PAGE_SIZE = 100
/** How long a ticked subtask still counts in the progress of its task. */
const TICKED_DAYS = 180

const shown = () => supabase.from('tasks').select(`*, ${CONTACT}, ${WAITING}`).is('deleted_at', null)

async function fetchOpen(): Promise<Task[]> {
  await currentUser()
  const rows: Task[] = []
  for (;;) {
    const last = rows.at(-1)
    const query = shown().neq('state', 'fatto').order('id').limit(OPEN_PAGE_SIZE)
    // Each page starts where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const page = unwrap(await (last ? query.gt('id', last.id) : query))
    rows.push(...page)
    if (page.length < OPEN_PAGE_SIZE) return rows
  }
}

/** Everything that is not done, subtasks too, in no particular order. */
export function openTasksQuery(userId: string) {
  return queryOptions({ queryKey: [...tasksKey(userId), 'open'], queryFn: fetchOpen, refetchInterval: pollingInterval })
}

type Cursor = { completedAt: string; id: string } | null

async function fetchDone(cursor: Cursor): Promise<Task[]> {
  await currentUser()
  const query = shown()
    .eq('state', 'fatto')
    .is('parent_id', null)
    .not('completed_at', 'is', null)
    .order('completed_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(DONE_PAGE_SIZE)
  if (!cursor) return unwrap(await query)
  const { completedAt, id } = cursor
  return unwrap(await query.or(`completed_at.lt."${completedAt}",and(completed_at.eq."${completedAt}",id.lt.${id})`))
}

/** What is done, the newest first. */
export function doneTasksQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: [...tasksKey(userId), 'done'],
    queryFn: ({ pageParam }) => fetchDone(pageParam),
    initialPageParam: null as Cursor,
    getNextPageParam: (page: Task[]): Cursor | undefined => {
      const last = page.at(-1)
      return last && page.length === DONE_PAGE_SIZE ? { completedAt: last.completed_at ?? '', id: last.id } : undefined
    },
  })
}

async function fetchTicked(): Promise<Map<string, number>> {
  await currentUser()
  const since = new Date(Date.now() - TICKED_DAYS * 86_400_000).toISOString()
  const rows = unwrap(
    await supabase
      .from('tasks')
      .select('parent_id')
      .is('deleted_at', null)
      .eq('state', 'fatto')
      .not('parent_id', 'is', null)
      .gt('completed_at', since)
      .limit(MOST_SUBTASKS),
  )
  const counts = new Map<string, number>()
  for (const { parent_id: parent } of rows) if (parent) counts.set(parent, (counts.get(parent) ?? 0) + 1)
  return counts
}

/** How many subtasks of each task are ticked. */
export function tickedQuery(userId: string) {
  return queryOptions({ queryKey: [...tasksKey(userId), 'ticked'], queryFn: fetchTicked })
}

async function fetchSubtasks(parentId: string): Promise<Task[]> {
  return unwrap(await shown().eq('parent_id', parentId).order('position').order('id').limit(MOST_SUBTASKS))
}

export function subtasksQuery(userId: string, parentId: string) {
  return queryOptions({
    queryKey: [...tasksKey(userId), 'subtasks', parentId],
    queryFn: () => fetchSubtasks(parentId),
  })
}

/** One task, wherever it is listed; null when there is none of this id. */
export function taskQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: [...tasksKey(userId), 'one', id],
    queryFn: async (): Promise<Task | null> => unwrap(await shown().eq('id', id).maybeSingle()),
  })
}

/** The five tasks changed last whose title holds `text`; for the command palette. */
export function taskSearchQuery(userId: string, text: string) {
  return queryOptions({
    queryKey: [...tasksKey(userId), 'search', text],
    queryFn: async () => unwrap(await supabase.rpc('search_tasks', { _text: text })),
  })
}
