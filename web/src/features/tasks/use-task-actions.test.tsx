import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { openTasksQuery, type Task } from '@/data/tasks'
import { type TaskActions, useTaskActions } from '@/features/tasks/use-task-actions'

import { answerWith, type Call, storeSession } from '../../../test/network'

const step = { id: 'step', title: 'Bozza', parent_id: 'parent', state: 'da_fare' } as Task
const parent = { id: 'parent', title: 'Preventivo', parent_id: null, project_id: null, state: 'da_fare' } as Task

/** The actions over `tasks`, on a server that answers by `handler`. */
function actionsOver(tasks: Task[], handler: Parameters<typeof answerWith>[0]) {
  storeSession()
  const calls = answerWith(handler)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const { queryKey } = openTasksQuery('user-1')
  client.setQueryData(queryKey, tasks)
  let actions: TaskActions | undefined
  function Holder() {
    actions = useTaskActions('user-1')
    return <Toaster />
  }
  render(
    <QueryClientProvider client={client}>
      <Holder />
    </QueryClientProvider>,
  )
  if (!actions) throw new Error('nothing was rendered')
  return { actions, calls, shown: (id: string) => client.getQueryData(queryKey)?.find((one) => one.id === id) }
}

const many = (count: number, change: Partial<Task> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...parent, id: `task-${index}`, priority: index % 2, ...change }))

const undo = async () => fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))

const calledFor = ({ body }: Call) => Object.values(body as Record<string, string>)[0]

const idsIn = ({ path }: Call) => /id=in\.\((.*)\)/.exec(path)?.[1]?.split(',') ?? []

test('what is taken back comes out of the trash after its parent', async () => {
  const { actions, calls } = actionsOver([step, parent], () => ({ status: 204 }))
  await act(() => actions.remove([step, parent]))
  await undo()
  await expect.poll(() => calls.length).toBe(3)
  expect(calls.slice(1).map(({ path, body }) => [path, body])).toEqual([
    ['/rest/v1/tasks?id=in.(parent)', { deleted_at: null }],
    ['/rest/v1/tasks?id=in.(step)', { deleted_at: null }],
  ])
})

test('many tasks are changed in a few requests, and changed back', async () => {
  const tasks = many(250)
  const { actions, calls } = actionsOver(tasks, () => ({ status: 204 }))
  await act(() => actions.saveAll(tasks, { priority: 3 }))
  expect(calls.map((call) => [idsIn(call).length, call.body])).toEqual([
    [100, { priority: 3 }],
    [100, { priority: 3 }],
    [50, { priority: 3 }],
  ])
  expect(await screen.findByText('250 attività modificate')).toBeTruthy()
  await undo()
  await expect
    .poll(() => calls.slice(3).map((call) => [idsIn(call).length, call.body]))
    .toEqual([
      [100, { priority: 0 }],
      [25, { priority: 0 }],
      [100, { priority: 1 }],
      [25, { priority: 1 }],
    ])
})

test('of a change that went half way it is said how far, and that much is taken back', async () => {
  const tasks = many(250)
  const { actions, calls, shown } = actionsOver(tasks, () =>
    calls.length === 2 ? { status: 503, body: { message: 'Service unavailable' } } : { status: 204 },
  )
  await act(() => actions.saveAll(tasks, { project_id: 'project' }))
  expect(await screen.findByText('100 di 250 attività modificate')).toBeTruthy()
  expect([shown('task-99')?.project_id, shown('task-100')?.project_id]).toEqual(['project', null])
  expect(calls.length).toBe(2)
  await undo()
  await expect.poll(() => calls.slice(2).map(idsIn)).toEqual([tasks.slice(0, 100).map(({ id }) => id)])
})

test('tasks are completed a few at once, those done before stay out of it and of its undo', async () => {
  const tasks = [...many(10), { ...parent, id: 'done', state: 'fatto' as const }]
  let [atOnce, most] = [0, 0]
  const { actions, calls } = actionsOver(tasks, () => {
    atOnce += 1
    most = Math.max(most, atOnce)
    queueMicrotask(() => (atOnce -= 1))
    return { body: { next: null } }
  })
  await act(() => actions.complete(tasks))
  const open = many(10).map(({ id }) => id)
  expect(calls.map(calledFor)).toEqual(open)
  expect(most).toBeLessThanOrEqual(4)
  expect(await screen.findByText('10 attività completate')).toBeTruthy()
  await undo()
  await expect.poll(() => calls.length).toBe(20)
  expect(calls.slice(10).every(({ path }) => path.endsWith('reopen_task'))).toBe(true)
  expect(calls.slice(10).map(calledFor)).toEqual(open)
})

test('one task that is gone stops no other from being completed', async () => {
  const tasks = many(6)
  const { actions, calls } = actionsOver(tasks, (call) =>
    calledFor(call) === 'task-1'
      ? { status: 404, body: { code: 'PT404', message: 'Questa attività non c’è più' } }
      : { body: { next: null } },
  )
  await act(() => actions.complete(tasks))
  expect(await screen.findByText('5 di 6 attività completate')).toBeTruthy()
  expect(calls.length).toBe(6)
})

test('changes of one task reach the server one after the other, those of others do not wait', async () => {
  const { actions, calls, shown } = actionsOver([step, parent], () => ({ status: 204 }))
  const answer = window.fetch
  const held: (() => void)[] = []
  window.fetch = async (...request) => {
    const response = await answer(...request)
    await new Promise<void>((resolve) => held.push(resolve))
    return response
  }
  const work = [
    actions.save('parent', { priority: 1 }),
    actions.save('parent', { priority: 2 }),
    actions.save('step', { priority: 3 }),
  ]
  await expect.poll(() => held.length).toBe(2)
  expect(calls.map(({ body }) => body)).toEqual([{ priority: 1 }, { priority: 3 }])
  expect(shown('parent')?.priority).toBe(2)
  held.splice(0).forEach((release) => release())
  await expect.poll(() => held.length).toBe(1)
  held.splice(0).forEach((release) => release())
  await Promise.all(work)
  expect(calls.map(({ body }) => body)).toEqual([{ priority: 1 }, { priority: 3 }, { priority: 2 }])
})
