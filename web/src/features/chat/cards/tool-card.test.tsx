import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import type { ToolCall } from '@/data/tool-calls'
import { ToolCards } from '@/features/chat/cards/tool-cards'

import { answerWith, type Call, storeSession } from '../../../../test/network'

const proposal: ToolCall = {
  id: 't1',
  created_at: '2026-11-20T09:00:00Z',
  user_id: 'user-1',
  conversation_id: 'c1',
  message_id: 'm1',
  seq: 1,
  tool: 'create_task',
  args: { text: 'chiama Rossi domani', contact_id: 'r' },
  preview: {
    title: 'Crea l’attività «Chiama Rossi»',
    lines: [{ label: 'Scadenza', value: 'domani' }],
  },
  risk: 'basso',
  rules: [{ id: 'E-01', reason: 'chiedo prima di scrivere' }],
  from_data: false,
  state: 'proposed',
  needs_count: null,
  undo: null,
  undo_until: null,
  expires_at: '2999-01-01T00:00:00Z',
  decided_at: null,
  result: null,
  error_code: null,
}
const done: Partial<ToolCall> = {
  state: 'executed',
  undo: { id: 'x' },
  result: { ref: { kind: 'task', id: 'x', label: 'Chiama Rossi' }, text: 'Attività creata.' },
}

/** The card of `call`; `decide` is what the server answers. */
function start(call: Partial<ToolCall>, decide: (call: Call) => { status?: number; body: unknown }) {
  storeSession()
  const calls = answerWith((asked) =>
    asked.path.includes('chat_action') ? decide(asked) : { body: [{ ...proposal, ...call }] },
  )
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <ToolCards userId="user-1" conversationId="c1" messageId="m1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const sent = () => calls.filter(({ path }) => path.includes('chat_action')).map(({ body }) => body)
  return { user: userEvent.setup(), sent }
}

test('a proposal shows its rule, is approved once however often one clicks, and leads to what was made', async () => {
  const { user, sent } = start({}, () => ({ body: { ...proposal, ...done } }))
  expect(await screen.findByText('Regola E-01: chiedo prima di scrivere')).toBeDefined()
  await user.dblClick(screen.getByRole('button', { name: 'Approva' }))
  expect(await screen.findByText('Attività creata.')).toBeDefined()
  expect(sent()).toEqual([{ tool_call_id: 't1', decision: 'approve' }])
  expect(screen.getByRole('link', { name: 'Apri l’attività' }).getAttribute('href')).toBe('/tasks?attivita=x')
  expect(screen.getByRole('button', { name: 'Annulla' })).toBeDefined()
})

test('a corrected proposal keeps what was typed when a field is refused', async () => {
  const fields = { text: 'Scrivi quando' }
  const { user, sent } = start({}, () => ({
    status: 422,
    body: { code: 'validation_failed', message: 'Controlla i campi', details: { fields } },
  }))
  await user.click(await screen.findByRole('button', { name: 'Modifica' }))
  const field = screen.getByRole('textbox')
  await user.clear(field)
  await user.type(field, 'chiama Rossi presto')
  await user.click(screen.getByRole('button', { name: 'Approva così' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Scrivi quando')
  expect(screen.getByDisplayValue('chiama Rossi presto')).toBeDefined()
  expect(sent()[0]).toMatchObject({
    decision: 'approve',
    args: { text: 'chiama Rossi presto', contact_id: 'r' },
  })
})

test('a payment names the rule that asks, and its day can be another one', async () => {
  const { user, sent } = start(
    {
      tool: 'mark_invoice_paid',
      args: { invoice_id: 'f', paid_on: '2026-11-23' },
      rules: [{ id: 'E-12', reason: 'riguarda i tuoi soldi' }],
    },
    () => ({ body: { ...proposal, ...done } }),
  )
  expect(await screen.findByText('Regola E-12: riguarda i tuoi soldi')).toBeDefined()
  expect(screen.queryByRole('button', { name: /Approva sempre/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Modifica' }))
  const day = screen.getByLabelText('Giorno del pagamento')
  await user.clear(day)
  await user.type(day, '2026-11-20')
  await user.click(screen.getByRole('button', { name: 'Approva così' }))
  expect(sent()).toEqual([
    { tool_call_id: 't1', decision: 'approve', args: { invoice_id: 'f', paid_on: '2026-11-20' } },
  ])
})

test('what touches many rows waits for their number, and is never approved for good', async () => {
  const { user, sent } = start({ needs_count: 12, risk: 'alto' }, () => ({
    body: { ...proposal, ...done },
  }))
  const approve = await screen.findByRole<HTMLButtonElement>('button', { name: 'Approva' })
  expect(approve.disabled).toBe(true)
  expect(screen.queryByRole('button', { name: /Approva sempre/ })).toBeNull()
  await user.type(screen.getByRole('textbox'), '12')
  await user.click(approve)
  expect(sent()).toEqual([{ tool_call_id: 't1', decision: 'approve', count: 12 }])
})

test('a proposal out of texts of others says so, and is never approved for good', async () => {
  start({ rules: [{ id: 'E-09', reason: 'Questa istruzione viene da un documento, non da te' }] }, () => ({
    body: null,
  }))
  expect(await screen.findByText(/testi scritti da altri/)).toBeDefined()
  expect(screen.queryByRole('button', { name: /Approva sempre/ })).toBeNull()
})
