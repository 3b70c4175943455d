/** What changes tasks: at once on the screen, in its turn on the server. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'

import { inChunks } from '@/data/chunks'
import { homeQuery } from '@/data/home'
import { isUnsent, KEPT, type Kept, sendOrKeep } from '@/data/outbox'
import { unwrap } from '@/data/postgrest'
import type { Tables, TablesUpdate } from '@/data/tables'
import { doneTasksQuery, type NewTask, openTasksQuery, type Task, tasksKey } from '@/data/tasks'
import { DataError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

type TaskChange = TablesUpdate<'tasks'>

const changing = ['tasks'] as const

/** By the id of the task, the columns that change. */
type Changes = ReadonlyMap<string, Partial<Task>>

/** What `task` has in the columns of `change`. */
export const partOf = (task: Task, change: object): Partial<Task> =>
  Object.fromEntries(Object.entries(task).filter(([column]) => column in change))

/** Applies `changes` wherever the cache lists their tasks; answers what stood there before. */
function patch(client: QueryClient, userId: string, changes: Changes): Changes {
  const former = new Map<string, Partial<Task>>()
  const patched = (task: Task) => {
    const change = changes.get(task.id)
    if (!change) return task
    former.set(task.id, partOf(task, change))
    return { ...task, ...change }
  }
  client.setQueryData(openTasksQuery(userId).queryKey, (rows) => rows?.map(patched))
  client.setQueryData(
    doneTasksQuery(userId).queryKey,
    (data) => data && { ...data, pages: data.pages.map((page) => page.map(patched)) },
  )
  client.setQueriesData<Task[]>({ queryKey: [...tasksKey(userId), 'subtasks'] }, (rows) => rows?.map(patched))
  client.setQueriesData<Task | null>({ queryKey: [...tasksKey(userId), 'one'] }, (task) => task && patched(task))
  return former
}

/** Whether no server answered; otherwise it refused. */
export const isAway = (error: unknown): boolean =>
  error instanceof DataError ? error.status === 0 || error.status >= 500 : true

/** What became of a change of several tasks. */
type Outcome<R> = {
  /** By the id of each task that the server changed. */
  answers: ReadonlyMap<string, R>
  /** Why the others are as they were; null when there are none. */
  error: unknown
}

/** Whether the server was told nothing, so that there is nothing to ask it. */
const isAllKept = (outcome: Outcome<unknown> | undefined): boolean =>
  outcome !== undefined && [...outcome.answers.values()].every((answer) => answer === KEPT)

type Attempt<R> = (ids: readonly string[], ask: () => Promise<R>) => Promise<void>

/**
 * Gathers what the attempts of `run` come to. A refusal leaves its own tasks as they were; when the server is away the
 * rest is not tried.
 *
 * @throws the error of an attempt when none succeeded.
 */
async function outcomeOf<R>(run: (attempt: Attempt<R>) => Promise<unknown>): Promise<Outcome<R>> {
  const answers = new Map<string, R>()
  const failures: unknown[] = []
  await run(async (ids, ask) => {
    if (failures.some(isAway)) return
    try {
      const answer = await ask()
      for (const id of ids) answers.set(id, answer)
    } catch (error) {
      failures.push(error)
    }
  })
  if (failures.length > 0 && answers.size === 0) throw failures[0]
  return { answers, error: failures[0] ?? null }
}

/** What was asked last about each task. */
const underWay = new Map<string, Promise<unknown>>()

/** Asks about tasks once all that was asked about them before is answered: the last change is the one that stays. */
async function inTurn<T>(ids: readonly string[], ask: () => Promise<T>): Promise<T> {
  const before = Promise.allSettled(ids.map((id) => underWay.get(id)))
  const work = before.then(ask)
  for (const id of ids) underWay.set(id, work)
  try {
    return await work
  } finally {
    for (const id of ids) if (underWay.get(id) === work) underWay.delete(id)
  }
}

/** A change of tasks that shows at once and is taken back where the server refuses or cannot be reached. */
function useOptimistic<V, R>(
  userId: string,
  effectsOf: (variables: V) => Changes,
  run: (variables: V, attempt: Attempt<R>) => Promise<unknown>,
) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: changing,
    mutationFn: (variables: V) =>
      inTurn([...effectsOf(variables).keys()], () => outcomeOf<R>((attempt) => run(variables, attempt))),
    onMutate: async (variables) => {
      await client.cancelQueries({ queryKey: tasksKey(userId) })
      return patch(client, userId, effectsOf(variables))
    },
    // What is kept shows through the outbox (data/kept.ts), and no longer once it is thrown away.
    onSuccess: ({ answers }, _variables, former) => {
      patch(client, userId, new Map([...former].filter(([id]) => !answers.has(id) || answers.get(id) === KEPT)))
    },
    onError: (_error, _variables, former) => {
      if (former) patch(client, userId, former)
    },
    // While another change is under way its answer would show the state before that change.
    onSettled: (outcome) =>
      !isAllKept(outcome) && client.isMutating({ mutationKey: changing }) === 1
        ? refreshTasks(client, userId)
        : undefined,
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

/** @throws an error that counts as «no network»: a task that only the outbox has cannot be changed yet */
function expectSent(client: QueryClient, userId: string, ids: readonly string[]): void {
  if (ids.some((id) => isUnsent(client, userId, id))) throw new Error('the task waits for the network itself')
}

/** Tasks of which the same is to be written share their requests. */
export function useChangeTasks(userId: string) {
  const client = useQueryClient()
  return useOptimistic<readonly Change[], null>(
    userId,
    (changes) => new Map(changes.map(({ id, change, shows }) => [id, { ...(change as Partial<Task>), ...shows }])),
    async (changes, attempt) => {
      for (const [written, alike] of Map.groupBy(changes, ({ change }) => JSON.stringify(change))) {
        const ids = alike.map(({ id }) => id)
        const change = JSON.parse(written) as TaskChange
        // One after the other: deleting a task writes its subtasks too.
        // oxlint-disable-next-line no-await-in-loop
        await inChunks(ids, async (some) => [
          await attempt(some, async () => {
            expectSent(client, userId, some)
            return unwrap(await supabase.from('tasks').update(change).in('id', some))
          }),
        ])
      }
    },
  )
}

/** How many calls are under way at once where each task has one of its own. */
const CALLS_AT_ONCE = 4

/** The title by which the outbox names a task. */
function titleOf(client: QueryClient, userId: string, id: string): string {
  const done = client.getQueryData(doneTasksQuery(userId).queryKey)?.pages.flat() ?? []
  const open = client.getQueryData(openTasksQuery(userId).queryKey) ?? []
  const known = [...open, ...done, ...(client.getQueryData(homeQuery(userId).queryKey)?.work.tasks ?? [])]
  return known.find((task) => task.id === id)?.title ?? ''
}

/** Without a network the outbox takes what is asked. */
function useEachTask<R>(
  userId: string,
  kind: 'complete' | 'reopen',
  effect: () => Partial<Task>,
  call: (id: string) => Promise<R>,
) {
  const client = useQueryClient()
  const ask = (taskId: string) => {
    const content = { id: crypto.randomUUID(), kind, taskId, title: titleOf(client, userId, taskId) }
    return sendOrKeep(client, userId, content, () => call(taskId))
  }
  return useOptimistic<readonly string[], R | Kept>(
    userId,
    (ids) => new Map(ids.map((id) => [id, effect()])),
    (ids, attempt) =>
      inChunks(ids, (some) => Promise.all(some.map((id) => attempt([id], () => ask(id)))), CALLS_AT_ONCE),
  )
}

type Sequel = { /** The next task of the series. */ next: Tables<'tasks'> | null }

export const completeTask = async (id: string): Promise<Sequel> =>
  unwrap(await supabase.rpc('complete_task', { _task_id: id })) as unknown as Sequel

export const reopenTask = async (id: string) => unwrap(await supabase.rpc('reopen_task', { _task_id: id }))

/** Answers for each the next task of its series, if there is one. */
export function useCompleteTasks(userId: string) {
  return useEachTask(
    userId,
    'complete',
    () => ({ state: 'fatto', completed_at: new Date().toISOString() }),
    completeTask,
  )
}

export function useReopenTasks(userId: string) {
  return useEachTask(userId, 'reopen', () => ({ state: 'da_fare', completed_at: null }), reopenTask)
}

/** A call that the screen waits for. */
function useTaskCall<V, R>(userId: string, run: (variables: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => refreshTasks(client, userId) })
}

type IdentifiedTask = NewTask & { id: string }

/** Rows that were sent before, their answer lost, are there once. */
export const insertTasks = (rows: readonly IdentifiedTask[]) =>
  inChunks(rows, async (some) => [unwrap(await supabase.from('tasks').upsert(some, { ignoreDuplicates: true }))])

export function useAddTasks(userId: string) {
  return useTaskCall(userId, (rows: IdentifiedTask[]) => insertTasks(rows))
}

/** The same for rows that the outbox takes without a network. */
export function useAddOrKeepTasks(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (rows: IdentifiedTask[]) =>
      sendOrKeep(client, userId, { id: rows[0]?.id ?? crypto.randomUUID(), kind: 'add', rows }, () =>
        // Of this person, whoever has signed in since in another tab.
        insertTasks(rows.map((row) => ({ ...row, user_id: userId }))),
      ),
    onSettled: (answer) => (answer === KEPT ? undefined : refreshTasks(client, userId)),
  })
}

export function useAddSubtasks(userId: string) {
  return useTaskCall(userId, async ({ parentId, titles }: { parentId: string; titles: string[] }) =>
    unwrap(await supabase.rpc('add_subtasks', { _parent: parentId, _titles: titles })),
  )
}

/** Moves a repeating task to its next date without doing it. */
export function useSkipOccurrence(userId: string) {
  return useTaskCall(userId, (id: string) =>
    inTurn([id], async () => unwrap(await supabase.rpc('skip_occurrence', { _task_id: id })) as unknown as Sequel),
  )
}

/** The task stays, and is the last one of its series. */
export function useStopSeries(userId: string) {
  const client = useQueryClient()
  return useTaskCall(userId, (id: string) =>
    inTurn([id], async () => {
      expectSent(client, userId, [id])
      return unwrap(await supabase.rpc('stop_series', { _task_id: id }))
    }),
  )
}
