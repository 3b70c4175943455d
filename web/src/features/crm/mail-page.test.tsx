import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import MailPage from '@/features/crm/mail-page'
import { paths } from '@/paths'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const thread = {
  id: 'new',
  subject: 'Cucina',
  contact_id: null,
  invoice_id: null,
  deal_id: null,
  suggested_thread_id: 'old' as string | null,
  party: 'anna@example.it',
  party_name: 'Anna Neri',
  snippet: 'Quanto costa?',
  kind: 'persona',
  has_warnings: false,
  is_done: false,
  is_sender_ignored: false,
  last_at: '2026-11-20T09:00:00Z',
}

function open(to: string, answer: (call: Call) => unknown) {
  storeSession()
  const calls = answerWith((call) => ({ body: answer(call) ?? [] }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={[to]}>
          <MailPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls }
}

/** The bodies that were sent to a path. */
const sent = (calls: readonly Call[], path: string, method = 'POST') =>
  calls.filter((call) => call.method === method && call.path.includes(path)).map(({ body }) => body)

test('drafts of e-mails wait for approval, each with its recipient', async () => {
  const draft = { id: 'd1', contact_id: null, channel: 'email', recipient: 'anna@example.it', subject: 'Auguri' }
  open(paths.crmMailView('in_approvazione'), ({ path }) =>
    path.includes('/drafts?')
      ? [{ ...draft, body: 'Buone feste', created_at: '2026-11-20T09:00:00Z', deleted_at: null }]
      : path.includes('/mail_inboxes')
        ? null
        : [],
  )
  const list = await screen.findByRole('list', { name: 'Bozze' })
  expect(within(list).getByText('A anna@example.it')).toBeDefined()
  expect(within(list).getByText('Buone feste')).toBeDefined()
})

test('a suggested conversation is joined, and a sender who has the name of a contact becomes it', async () => {
  const { user, calls } = open(paths.crmMailThread('new'), ({ path }) => {
    if (path.includes('/rpc/search_contacts')) return [{ id: 'anna', name: 'Anna Neri' }]
    if (path.includes('/rpc/decide_thread')) return 'old'
    if (path.includes('/mail_threads?') && path.includes('id=eq.old')) return { ...thread, id: 'old' }
    if (path.includes('/mail_threads?')) return [thread]
    return path.includes('/mail_inboxes') || path.includes('/mail_accounts') ? null : []
  })
  await user.click(await screen.findByRole('button', { name: 'È Anna Neri' }))
  expect(sent(calls, '/contact_emails')).toEqual([{ contact_id: 'anna', value: 'anna@example.it' }])
  await user.click(screen.getByRole('button', { name: 'Non aggiungere' }))
  expect(sent(calls, '/mail_threads', 'PATCH')).toEqual([{ is_sender_ignored: true }])
  await user.click(screen.getByRole('button', { name: 'Sì, uniscile' }))
  expect(sent(calls, '/rpc/decide_thread')).toEqual([{ _thread_id: 'new', _is_same: true }])
})
