import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { AuthContext, guest } from '@/data/auth-context'
import { NotificationAction } from '@/features/notifications/notification-action'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { notification } from '../../../test/notifications'

const kinds = [
  { kind: 'promemoria', label: 'Promemoria', category: 'attivita', action: 'rimanda' },
  { kind: 'approvazione', label: 'Proposte', category: 'approvazioni', action: 'approva' },
]
const later = '2099-01-01T08:00:00+00:00'
const proposal = (change: object) => ({
  id: 'call-1',
  conversation_id: 'talk-1',
  message_id: 'message-1',
  state: 'proposed',
  risk: 'basso',
  needs_count: null,
  preview: { title: 'Nuova attività', lines: [{ label: 'Titolo', value: 'Telefona a Rossi' }] },
  ...change,
})

function start(kind: string, change: object = {}) {
  storeSession()
  const calls = answerWith(({ method, path }) => {
    if (path.includes('/notification_kinds')) return { body: kinds }
    if (path.includes('/functions/')) return { body: proposal({ state: 'executed' }) }
    if (path.includes('/tool_calls')) return { body: proposal(change) }
    if (path.includes('/tasks') && method === 'GET')
      return { body: { remind_at: ['2020-01-01T08:00:00+00:00', later] } }
    return { status: 204 }
  })
  const row = notification('a', { kind, entity_id: 'it' })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...guest, user: { id: 'user-1' } as User }}>
        <MemoryRouter>
          <NotificationAction row={row} entityId="it" />
          <Toaster />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls }
}

const written = (calls: Call[], path: string) => calls.find((call) => call.method !== 'GET' && call.path.includes(path))
const read = '/rest/v1/notifications?id=in.(a)'

test('a reminder is put off, keeps its moments to come, and is read', async () => {
  const { user, calls } = start('promemoria')
  await user.click(await screen.findByRole('button', { name: /^Rimanda/ }))
  await user.click(await screen.findByRole('menuitem', { name: 'Domani alle 9' }))
  expect(await screen.findByText('Te lo ricordo domani alle 9')).toBeDefined()
  expect(written(calls, '/rest/v1/tasks')?.body).toEqual({ remind_at: [expect.stringMatching(/T0[78]:00/), later] })
  expect(written(calls, read)).toBeDefined()
})

test('a proposal shows what will happen, and is approved there', async () => {
  const { user, calls } = start('approvazione')
  await user.click(await screen.findByRole('button', { name: /^Decidi/ }))
  expect(await screen.findByText('Telefona a Rossi')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Approva' }))
  expect(await screen.findByText('Proposta approvata')).toBeDefined()
  expect(written(calls, '/functions/v1/chat_action')?.body).toEqual({ tool_call_id: 'call-1', decision: 'approve' })
  expect(written(calls, read)).toBeDefined()
})

test.each([
  ['much is at stake', { risk: 'alto' }],
  ['a number must be typed', { needs_count: 12 }],
  ['it was decided already', { state: 'executed' }],
])('a proposal is not approved in the dialog where %s', async (_why, change) => {
  const { user } = start('approvazione', change)
  await user.click(await screen.findByRole('button', { name: /^Decidi/ }))
  expect(await screen.findByText('Telefona a Rossi')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Approva' })).toBeNull()
})
