import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { mailTaskQuery, type ReceivedMail } from '@/data/inbox'
import { InvitationCard } from '@/features/crm/invitation-card'

const added = vi.hoisted(() => vi.fn<(rows: unknown) => Promise<void>>(() => Promise.resolve()))
vi.mock('@/data/auth-context', () => ({ useUser: () => ({ id: 'user' }) }))
vi.mock('@/data/task-changes', () => ({ useAddTasks: () => ({ mutateAsync: added, isPending: false }) }))

const invitation = {
  title: 'Riunione',
  starts_at: '2026-12-01T09:00:00Z',
  is_allday: false,
  place: 'Via Roma 1',
  is_cancelled: false,
  repeats: false,
}
const mail = { id: 'mail', folder: 'ricevuti', sender_name: 'Anna', contact_id: 'anna', invitation }

function show(change: object, isMade = false) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(mailTaskQuery('user', 'mail').queryKey, isMade)
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        <InvitationCard mail={{ ...mail, ...change } as unknown as ReceivedMail} />
      </QueryClientProvider>
    </MemoryRouter>,
  )
}

test('one press makes a task with the id of the mail', async () => {
  show({})
  fireEvent.click(screen.getByRole('button', { name: 'Aggiungi alle attività' }))
  await waitFor(() => expect(added).toHaveBeenCalledTimes(1))
  expect(added).toHaveBeenCalledWith([
    {
      id: 'mail',
      title: 'Riunione',
      notes: 'Via Roma 1\nInvito di Anna',
      due_at: '2026-12-01T09:00:00Z',
      due_is_allday: false,
      contact_id: 'anna',
    },
  ])
})

test('what is made already leads to its task, and what is called off makes none', () => {
  show({}, true)
  expect(screen.getByRole('link', { name: 'È tra le tue attività' })).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  show({ invitation: { ...invitation, is_cancelled: true, title: 'Cena' } })
  expect(screen.getByText(/Annullato: Cena/)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})
