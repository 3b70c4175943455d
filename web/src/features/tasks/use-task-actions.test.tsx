import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import type { Task } from '@/data/tasks'
import { useTaskActions } from '@/features/tasks/use-task-actions'

import { answerWith, storeSession } from '../../../test/network'

const step = { id: 'step', title: 'Bozza', parent_id: 'parent' } as Task
const parent = { id: 'parent', title: 'Preventivo', parent_id: null } as Task

function Removal() {
  const { remove } = useTaskActions('user-1')
  return <button onClick={() => void remove([step, parent])}>Elimina</button>
}

test('what is taken back comes out of the trash after its parent', async () => {
  storeSession()
  const calls = answerWith(() => ({ status: 204 }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Removal />
      <Toaster />
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Elimina' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  await expect.poll(() => calls.length).toBe(4)
  expect(calls.slice(2).map(({ path, body }) => [path, body])).toEqual([
    ['/rest/v1/tasks?id=eq.parent', { deleted_at: null }],
    ['/rest/v1/tasks?id=eq.step', { deleted_at: null }],
  ])
})
