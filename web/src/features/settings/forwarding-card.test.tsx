import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import { ForwardingCard } from '@/features/settings/forwarding-card'

import { answerWith, type Call, storeSession } from '../../../test/network'

const ADDRESS = `u+${'a'.repeat(32)}@in.localhost`
const state = {
  user_id: 'user-1',
  received: 3,
  refused: 1,
  last_received_at: '2026-11-20T09:00:00Z',
  last_refused_at: '2026-11-21T09:00:00Z',
  last_refusal: 'too_large',
  renewed_at: '2026-11-01T09:00:00Z',
  created_at: '2026-11-01T09:00:00Z',
}

function open(answer: (call: Call) => { status?: number; body?: unknown }) {
  storeSession()
  const calls = answerWith(answer)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { container } = render(
    <QueryClientProvider client={client}>
      <ForwardingCard userId="user-1" />
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls, container }
}

test('nothing is offered where the operator receives no mail', async () => {
  const { calls, container } = open(() => ({ body: { is_offered: false, address: null } }))
  await waitFor(() => expect(calls.length).toBeGreaterThan(0))
  expect(container.textContent).toBe('')
})

test('an address is made, and says what came and what was refused', async () => {
  let address: string | null = null
  const { user } = open(({ method, path }) => {
    if (path.includes('/mail_addresses')) return { body: address && state }
    if (method === 'POST') address = ADDRESS
    return { body: { is_offered: true, address } }
  })
  await user.click(await screen.findByRole('button', { name: 'Crea indirizzo' }))
  expect(await screen.findByText(ADDRESS)).toBeDefined()
  expect(await screen.findByText(/^3, l’ultima/)).toBeDefined()
  expect(screen.getByText(/superava i 25 MB/)).toBeDefined()
})

test('another address is made only after a question, and a refusal says why', async () => {
  const { user, calls } = open(({ method, path }) => {
    if (path.includes('/mail_addresses')) return { body: state }
    if (method === 'POST')
      return { status: 429, body: { code: 'too_many_requests', message: 'Aspetta qualche secondo' } }
    return { body: { is_offered: true, address: ADDRESS } }
  })
  await user.click(await screen.findByRole('button', { name: 'Cambia indirizzo' }))
  const posted = () => calls.filter(({ method }) => method === 'POST').length
  expect(posted()).toBe(0)
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cambia indirizzo' }))
  await waitFor(() => expect(posted()).toBe(1))
  // The question stays, with the former address behind it.
  expect(screen.getByRole('dialog')).toBeDefined()
  expect(screen.getByText(ADDRESS)).toBeDefined()
})

test('closing removes the row of the person', async () => {
  const { user, calls } = open(({ path }) => ({
    body: path.includes('/mail_addresses') ? state : { is_offered: true, address: ADDRESS },
  }))
  await user.click(await screen.findByRole('button', { name: 'Disattiva' }))
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Disattiva' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'DELETE')?.path).toContain('/mail_addresses?user_id=eq.user-1'),
  )
})
