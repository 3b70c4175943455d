import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import type { Deal, Stage } from '@/data/deals'
import { columnsOf } from '@/features/crm-deals/board'
import { DealDialog } from '@/features/crm-deals/deal-dialog'

import { answerWith, type Call, storeSession } from '../../../test/network'

const stage = (id: string, kind: Stage['kind']) =>
  ({ id, kind, name: id, position: id, probability: 50, usual_days: null }) as unknown as Stage
const stages = [stage('nuova', 'aperta'), stage('vinta', 'vinta')]
const site = {
  id: 'deal-1',
  title: 'Sito web',
  contact_id: null,
  contact: null,
  amount_cents: 150_000,
  probability: null,
  expected_close: null,
  stage_id: 'nuova',
  position: 'a0',
  lost_reason: null,
  taskCount: 0,
} as unknown as Deal

const isDeal = ({ method, path }: Call) => path.startsWith('/rest/v1/deals') && method !== 'GET'

function open(deal: Deal | null, answer: (call: Call) => { status?: number; body?: unknown }) {
  storeSession()
  const calls = answerWith((call) => (isDeal(call) ? answer(call) : { body: [] }))
  const onClose = vi.fn<() => void>()
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <DealDialog deal={deal} columns={columnsOf(stages, deal ? [deal] : [])} userId="user-1" onClose={onClose} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), onClose, written: () => calls.filter(isDeal) }
}

test.each([
  [
    'the amount alone leaves the stage to whoever changed it meanwhile',
    'Importo in euro',
    '2000',
    { amount_cents: 200_000 },
  ],
  ['the title alone', 'Titolo', 'Negozio', { title: 'Negozio' }],
])('%s', async (_what, label, typed, change) => {
  const { user, onClose, written } = open(site, () => ({ status: 204 }))
  await user.clear(screen.getByLabelText(label))
  await user.type(screen.getByLabelText(label), typed)
  await user.click(screen.getByRole('button', { name: 'Salva' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(written().map(({ body }) => body)).toEqual([change])
})

test('another stage comes with a place in it', async () => {
  const { user, onClose, written } = open(site, () => ({ status: 204 }))
  await user.selectOptions(screen.getByLabelText('Fase'), 'vinta')
  await user.click(screen.getByRole('button', { name: 'Salva' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(written().map(({ body }) => body)).toEqual([{ stage_id: 'vinta', position: expect.any(String) }])
})

test('a new deal whose answer was lost is written once, as it was typed last', async () => {
  let known: unknown
  const { user, onClose, written } = open(null, ({ method, body }) => {
    if (method === 'PATCH') return { status: 204 }
    const { id } = body as { id: string }
    if (known === id) return { status: 409, body: { code: '23505', message: 'duplicate key "deals_pkey"' } }
    known = id
    return { status: 500, body: { code: '', message: 'lost' } }
  })
  await user.type(screen.getByLabelText('Titolo'), 'Sito')
  await user.click(screen.getByRole('button', { name: 'Aggiungi' }))
  await waitFor(() => expect(written()).toHaveLength(1))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Aggiungi' })).toHaveProperty('disabled', false))
  await user.type(screen.getByLabelText('Titolo'), ' web')
  await user.click(screen.getByRole('button', { name: 'Aggiungi' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(written().at(-1)).toMatchObject({
    method: 'PATCH',
    path: `/rest/v1/deals?id=eq.${String(known)}`,
    body: { title: 'Sito web' },
  })
})
