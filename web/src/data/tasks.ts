/**
 * The tasks of the caller. What is still open is one list in the cache, asked for in pages of a thousand, so that every
 * view, filter and count is answered without the network; what is done comes newest first, a page at a time.
 */
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables, TablesUpdate } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Named = { id: string; name: string | null }

export type Task = Tables<'tasks'> & { contact: Named | null; waiting: Named | null }
export type TaskState = Enums<'task_state'>
export type NewTask = Database['public']['Tables']['tasks']['Insert']
type TaskChange = TablesUpdate<'tasks'>

const KEY = 'tasks'
export const tasksKey = (userId: string) => [KEY, userId] as const
const openKey = (userId: string) => [...tasksKey(userId), 'open'] as const
const doneKey = (userId: string) => [...tasksKey(userId), 'done'] as const

const CONTACT = 'contact:contacts!tasks_user_id_contact_id_fkey(id, name)'
const WAITING = 'waiting:contacts!tasks_user_id_waiting_for_fkey(id, name)'
const PAGE_SIZE = 1_000
const DONE_PAGE_SIZE = 100
/** How long a ticked subtask still counts in the progress of its task. */
const TICKED_DAYS = 180

const shown = () => supabase.from('tasks').select(`*, ${CONTACT}, ${WAITING}`).is('deleted_at', null)

async function fetchOpen(): Promise<Task[]> {
  await currentUser()
  const rows: Task[] = []
  for (;;) {
    const last = rows.at(-1)
    const query = shown().neq('state', 'fatto').order('id').limit(PAGE_SIZE)
    // Each page starts where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const page = unwrap(await (last ? query.gt('id', last.id) : query))
    rows.push(...page)
    if (page.length < PAGE_SIZE) return rows
  }
}

/** Everything that is not done, subtasks too, in no particular order. */
export function openTasksQuery(userId: string) {
  return queryOptions({ queryKey: openKey(userId), queryFn: fetchOpen, refetchInterval: pollingInterval })
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
    queryKey: doneKey(userId),
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
      .limit(PAGE_SIZE),
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
  return unwrap(await shown().eq('parent_id', parentId).order('position').order('id').limit(PAGE_SIZE))
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

async function searchTasks(text: string): Promise<{ id: string; title: string }[]> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return unwrap(
    await supabase
      .from('tasks')
      .select('id, title')
      .is('deleted_at', null)
      .ilike('title', pattern)
      .order('updated_at', { ascending: false })
      .limit(5),
  )
}

/** The five tasks changed last whose title holds `text`; for the command palette. */
export function taskSearchQuery(userId: string, text: string) {
  return queryOptions({ queryKey: [...tasksKey(userId), 'search', text], queryFn: () => searchTasks(text) })
}

type Cached = [readonly unknown[], unknown][]

/** Applies `change` to the task `id` wherever the cache lists it; answers what was there before. */
function patch(client: QueryClient, userId: string, id: string, change: Partial<Task>): Cached {
  const before = client.getQueriesData({ queryKey: tasksKey(userId) })
  const patched = (task: Task) => (task.id === id ? { ...task, ...change } : task)
  client.setQueryData<Task[]>(openKey(userId), (rows) => rows?.map(patched))
  client.setQueryData<InfiniteData<Task[], Cursor>>(
    doneKey(userId),
    (data) => data && { ...data, pages: data.pages.map((page) => page.map(patched)) },
  )
  client.setQueriesData<Task[]>({ queryKey: [...tasksKey(userId), 'subtasks'] }, (rows) => rows?.map(patched))
  client.setQueriesData<Task | null>({ queryKey: [...tasksKey(userId), 'one'] }, (task) => task && patched(task))
  return before
}

/** A change of one task that shows at once and is taken back when the server refuses or cannot be reached. */
function useOptimistic<V extends { id: string }, R>(
  userId: string,
  run: (variables: V) => Promise<R>,
  effect: (variables: V) => Partial<Task>,
) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [KEY],
    mutationFn: run,
    onMutate: async (variables) => {
      await client.cancelQueries({ queryKey: tasksKey(userId) })
      return patch(client, userId, variables.id, effect(variables))
    },
    onError: (_error, _variables, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
    },
    // While another change is under way its answer would show the state before that change.
    onSettled: () => (client.isMutating({ mutationKey: [KEY] }) === 1 ? refreshTasks(client, userId) : undefined),
  })
}

/** Asks again for tasks, and for the projects and deals that count them. */
export function refreshTasks(client: QueryClient, userId: string): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({ queryKey: tasksKey(userId) }),
    client.invalidateQueries({ queryKey: ['projects', userId] }),
    client.invalidateQueries({ queryKey: ['deals', userId] }),
  ])
}

type Change = {
  id: string
  change: TaskChange
  /** Names that the screen shows before the server answers. */ shows?: Partial<Task>
}

export function useChangeTask(userId: string) {
  return useOptimistic(
    userId,
    async ({ id, change }: Change) => unwrap(await supabase.from('tasks').update(change).eq('id', id)),
    ({ change, shows }) => ({ ...(change as Partial<Task>), ...shows }),
  )
}

type Sequel = { /** The next task of the series. */ next: Tables<'tasks'> | null }

/** Answers the next task of the series, if there is one. */
export function useCompleteTask(userId: string) {
  return useOptimistic(
    userId,
    async ({ id }: { id: string }) =>
      unwrap(await supabase.rpc('complete_task', { _task_id: id })) as unknown as Sequel,
    () => ({ state: 'fatto', completed_at: new Date().toISOString() }),
  )
}

export function useReopenTask(userId: string) {
  return useOptimistic(
    userId,
    async ({ id }: { id: string }) => unwrap(await supabase.rpc('reopen_task', { _task_id: id })),
    () => ({ state: 'da_fare', completed_at: null }),
  )
}

/** A call that the screen waits for. */
function useTaskCall<V, R>(userId: string, run: (variables: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => refreshTasks(client, userId) })
}

/** Answers the ids in the order of `rows`. */
export function useAddTasks(userId: string) {
  return useTaskCall(userId, async (rows: NewTask[]) =>
    unwrap(await supabase.from('tasks').insert(rows).select('id')).map(({ id }) => id),
  )
}

export function useAddSubtasks(userId: string) {
  return useTaskCall(userId, async ({ parentId, titles }: { parentId: string; titles: string[] }) =>
    unwrap(await supabase.rpc('add_subtasks', { _parent: parentId, _titles: titles })),
  )
}

/** Moves a repeating task to its next date without doing it. */
export function useSkipOccurrence(userId: string) {
  return useTaskCall(
    userId,
    async (id: string) => unwrap(await supabase.rpc('skip_occurrence', { _task_id: id })) as unknown as Sequel,
  )
}

/** The task stays, and is the last one of its series. */
export function useStopSeries(userId: string) {
  return useTaskCall(userId, async (id: string) => unwrap(await supabase.rpc('stop_series', { _task_id: id })))
}
