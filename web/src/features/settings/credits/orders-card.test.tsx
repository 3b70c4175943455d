import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'

import { OrdersCard } from '@/features/settings/credits/orders-card'

import { answerWith, type Call, storeSession } from '../../../../test/network'

const ID = '3f2b8a54-8a52-4f26-9b0e-0c6c1f0f9a11'
const now = new Date().toISOString()

const order = {
  id: ID,
  pack_id: 'pro',
  amount_cents: 3999,
  credits: 500,
  bonus: 50,
  state: 'fulfilled',
  email: 'giulia@socio.example',
  billing: null,
  checkout_url: 'https://pay.example/1',
  created_at: now,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  submitted_at: null,
  paid_at: now,
  withdrawn_at: null,
  refunded_cents: 0,
  taken_cents: 0,
}

const lots = [
  { id: 'a', kind: 'acquisto', amount: 500, remaining: 400, held: 0, paid_cents: 3999, order_id: ID, created_at: now },
  { id: 'b', kind: 'bonus', amount: 50, remaining: 50, held: 0, paid_cents: 0, order_id: ID, created_at: now },
]

function open(orders: unknown[], refusal?: { code: string; message: string }) {
  const answers = ({ path }: Call) => {
    if (path.includes('/credit_orders')) return { body: orders }
    if (path.includes('/credit_lots')) return { body: lots }
    return refusal ? { status: 409, body: refusal } : { body: { amount_cents: 3199, credits: 450 } }
  }
  const calls = answerWith(answers)
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <OrdersCard userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), withdrawals: () => calls.filter(({ path }) => path.endsWith('withdraw_order')) }
}

beforeEach(() => storeSession())

test('nobody who bought nothing has orders', async () => {
  open([])
  expect(await screen.findByText(/Nessun ordine/)).toBeDefined()
})

test('leaving the contract takes two steps and says what comes back', async () => {
  const { user, withdrawals } = open([order])
  await user.click(await screen.findByRole('button', { name: 'Recedere dal contratto qui' }))
  expect(await screen.findByText(/Non hai usato 400 crediti: ti restituiamo 31,99\s€/)).toBeDefined()
  expect(withdrawals()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Conferma recesso' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(withdrawals().map(({ body }) => body)).toEqual([{ orderId: ID }])
})

test('a refusal is told in the server’s words, and the dialog stays', async () => {
  const { user, withdrawals } = open([order], { code: 'credits_in_use', message: 'I crediti sono in uso' })
  await user.click(await screen.findByRole('button', { name: 'Recedere dal contratto qui' }))
  await user.click(screen.getByRole('button', { name: 'Conferma recesso' }))
  await vi.waitFor(() => expect(withdrawals()).toHaveLength(1))
  await vi.waitFor(() =>
    expect(screen.getByRole('button', { name: 'Conferma recesso' })).toHaveProperty('disabled', false),
  )
})

test('an order that waits leads back to its payment and has no receipt', async () => {
  open([{ ...order, state: 'pending', paid_at: null }])
  const link = await screen.findByRole('link', { name: 'Completa il pagamento' })
  expect(link.getAttribute('href')).toBe('https://pay.example/1')
  expect(screen.queryByRole('link', { name: /Ricevuta/ })).toBeNull()
  expect(screen.queryByRole('button', { name: /Recedere/ })).toBeNull()
})

test('a payment on its way is told, and leads nowhere to pay again', async () => {
  open([{ ...order, state: 'pending', paid_at: null, submitted_at: now }])
  expect(await screen.findByText('Pagamento in corso')).toBeDefined()
  expect(screen.queryByText('In attesa di pagamento')).toBeNull()
  expect(screen.queryByRole('link')).toBeNull()
})

test('a disputed order says why nobody withdraws from it', async () => {
  open([{ ...order, state: 'disputed' }])
  expect(await screen.findByText(/il pagamento è contestato alla banca/)).toBeDefined()
  expect(screen.queryByRole('button', { name: /Recedere/ })).toBeNull()
})

test('what was withdrawn from says so and keeps its receipt', async () => {
  open([{ ...order, state: 'refunded', withdrawn_at: now, refunded_cents: 3199 }])
  expect(await screen.findByText(/rimborsati 31,99\s€/)).toBeDefined()
  expect(screen.getByRole('link', { name: /Ricevuta/ }).getAttribute('href')).toBe(`/settings/credits/orders/${ID}`)
  expect(screen.queryByRole('button', { name: /Recedere/ })).toBeNull()
})
