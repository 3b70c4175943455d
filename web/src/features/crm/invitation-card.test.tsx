import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { mailTaskQuery, type ReceivedMail } from '@/data/inbox'
import { InvitationCard } from '@/features/crm/invitation-card'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

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
  storeSession()
  const calls = answerWith(() => ({ body: [] }))
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(mailTaskQuery(member.user?.id ?? '', 'mail').queryKey, isMade)
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        <AuthContext value={member}>
          <InvitationCard mail={{ ...mail, ...change } as unknown as ReceivedMail} />
        </AuthContext>
      </QueryClientProvider>
    </MemoryRouter>,
  )
  return () => calls.filter(({ method, path }) => method === 'POST' && path.includes('/tasks')).map(({ body }) => body)
}

test('one press makes a task with the id of the mail', async () => {
  const added = show({})
  fireEvent.click(screen.getByRole('button', { name: 'Aggiungi alle attività' }))
  await waitFor(() => expect(added()).toHaveLength(1))
  expect(added()).toMatchObject([
    [
      {
        id: 'mail',
        title: 'Riunione',
        notes: 'Via Roma 1\nInvito di Anna',
        due_at: '2026-12-01T09:00:00Z',
        due_is_allday: false,
        contact_id: 'anna',
      },
    ],
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
