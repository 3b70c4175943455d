import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import type { Task } from '@/data/tasks'
import { TaskSheet } from '@/features/tasks/task-sheet'
import { useTaskActions } from '@/features/tasks/use-task-actions'

import { answerWith, type Call, storeSession } from '../../../test/network'

const monthly = {
  id: 'task-1',
  title: 'Fattura mensile',
  notes: null,
  state: 'da_fare',
  priority: 0,
  due_at: '2026-12-09T23:00:00Z',
  due_is_allday: true,
  someday: false,
  remind_at: ['2026-12-10T08:00:00Z'],
  rrule: 'FREQ=MONTHLY',
  repeat_from: 'scadenza',
  parent_id: null,
  project_id: null,
  contact: null,
  waiting: null,
} as unknown as Task

const stay = () => undefined

function Opened({ task }: { task: Task }) {
  const actions = useTaskActions('user-1')
  return (
    <TaskSheet
      userId="user-1"
      taskId={task.id}
      known={task}
      projects={[]}
      actions={actions}
      onOpen={stay}
      onClose={stay}
    />
  )
}

/** Opens the sheet of `task`; `written` answers what was written to it so far. */
function openSheet(task: Task) {
  storeSession()
  const calls = answerWith(({ method }: Call) => (method === 'GET' ? { body: [] } : { status: 204 }))
  const { rerender } = render(<Opened task={task} />, {
    wrapper: ({ children }) => (
      <QueryClientProvider client={new QueryClient()}>
        {children}
        <Toaster />
      </QueryClientProvider>
    ),
  })
  return {
    written: () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
    close: () => rerender(null),
  }
}

/** Types into a date, which the browser answers with `values`, one for each stroke. */
function type(field: HTMLElement, ...values: string[]): void {
  for (const value of values) {
    fireEvent.keyDown(field, { key: '0' })
    fireEvent.change(field, { target: { value } })
  }
}

test('a date that is being typed is written once, when it is left whole', async () => {
  const { written } = openSheet(monthly)
  const field = screen.getByLabelText('Scadenza')
  type(field, '', '0002-05-12', '0020-05-12', '0202-05-12')
  fireEvent.blur(field)
  expect(field).toHaveProperty('value', '2026-12-10')
  type(field, '', '0002-12-12', '2026-12-12')
  fireEvent.keyDown(field, { key: 'Enter' })
  fireEvent.blur(field)
  await expect.poll(written).toEqual([
    {
      due_at: '2026-12-11T23:00:00.000Z',
      due_is_allday: true,
      remind_at: ['2026-12-12T08:00:00.000Z'],
      someday: false,
    },
  ])
})

test('a day chosen in the browser’s calendar is written at once', async () => {
  const { written } = openSheet(monthly)
  fireEvent.change(screen.getByLabelText('Scadenza'), { target: { value: '2026-12-12' } })
  await expect.poll(written).toMatchObject([{ due_at: '2026-12-11T23:00:00.000Z' }])
})

test('the date is taken off by its button, and «Annulla» brings back the series and the reminders', async () => {
  const { written } = openSheet(monthly)
  fireEvent.click(screen.getByRole('button', { name: 'Togli la data' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  await expect.poll(written).toEqual([
    { due_at: null, remind_at: [], rrule: null },
    { due_at: monthly.due_at, remind_at: monthly.remind_at, rrule: monthly.rrule },
  ])
})

test('an hour that is half typed does not make it a whole day; its button does', async () => {
  const { written } = openSheet({ ...monthly, due_at: '2026-12-10T14:00:00Z', due_is_allday: false, remind_at: [] })
  const field = screen.getByLabelText('Ora')
  type(field, '')
  fireEvent.blur(field)
  expect(field).toHaveProperty('value', '15:00')
  fireEvent.click(screen.getByRole('button', { name: 'Togli l’ora' }))
  await expect.poll(written).toMatchObject([{ due_at: '2026-12-09T23:00:00.000Z', due_is_allday: true }])
})

test('the interval can be emptied and typed anew', async () => {
  const { written } = openSheet(monthly)
  const field = screen.getByLabelText('Intervallo in mesi')
  await userEvent.type(field, '{Backspace}2{Enter}')
  await expect.poll(written).toEqual([{ rrule: 'FREQ=MONTHLY;INTERVAL=2' }])
})

test('notes and title are written when the sheet goes away without being left', async () => {
  const { written, close } = openSheet(monthly)
  fireEvent.change(screen.getByLabelText('Note'), { target: { value: 'Appunti lunghi ' } })
  fireEvent.change(screen.getByLabelText('Titolo'), { target: { value: 'Fattura\tdi\u0007 Gamma' } })
  close()
  await expect
    .poll(written)
    .toEqual(expect.arrayContaining([{ notes: 'Appunti lunghi' }, { title: 'Fattura di Gamma' }]))
})

test('Escape takes back a title, and never notes', async () => {
  const { written, close } = openSheet(monthly)
  const [title, notes] = [screen.getByLabelText('Titolo'), screen.getByLabelText('Note')]
  fireEvent.change(title, { target: { value: 'Altro' } })
  fireEvent.keyDown(title, { key: 'Escape' })
  expect(title).toHaveProperty('value', 'Fattura mensile')
  fireEvent.change(notes, { target: { value: 'Appunti' } })
  fireEvent.keyDown(notes, { key: 'Escape' })
  close()
  await expect.poll(written).toEqual([{ notes: 'Appunti' }])
})
