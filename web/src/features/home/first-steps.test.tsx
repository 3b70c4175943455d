import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { FirstSteps } from '@/features/home/first-steps'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile } from '../../../test/profile'

const profile = makeProfile({ activity: 'Grafica' })
const welcome = { id: 'n1', is_read: false, created_at: profile.created_at }
const later = { id: 'n2', is_read: false, created_at: '2026-11-22T09:00:00Z' }

function open(notifications: object[] | null, contacts: object[] | null = [{ id: 'anna' }]) {
  storeSession()
  answerWith(({ path }) => {
    const body = path.includes('/notifications') ? notifications : contacts
    return body ? { body } : { status: 400, body: { code: 'X', message: 'broken' } }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { container } = render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <FirstSteps userId="user-1" profile={profile} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return container
}

test.each([
  ['the welcome is not read', [later, welcome], '3 di 4 completati'],
  ['nobody was added', [{ ...welcome, is_read: true }], '3 di 4 completati', []],
])('steps are shown while %s', async (_what, notifications, text, contacts?: object[]) => {
  open(notifications, contacts)
  expect(await screen.findByText(text)).toBeDefined()
})

test.each([
  ['all is done', [{ ...welcome, is_read: true }], [{ id: 'anna' }]],
  ['what was read is deleted', [], [{ id: 'anna' }]],
  ['what was read is deleted and something new has come', [later], [{ id: 'anna' }]],
  ['nobody can say whether there are contacts', [welcome], null],
  ['nobody can say what was read', null, []],
])('nothing is shown when %s', async (_what, notifications, contacts) => {
  const container = open(notifications, contacts)
  await waitFor(() => expect(container.childElementCount).toBe(0))
})
