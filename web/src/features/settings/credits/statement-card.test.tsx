import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'

import built from '@/data/catalog.gen.json'
import type { Entry } from '@/data/credits'
import { StatementCard } from '@/features/settings/credits/statement-card'

import { answerWith, type Call, storeSession } from '../../../../test/network'

const entry = (id: number, change: Partial<Entry> = {}): Entry => ({
  id,
  created_at: new Date(2026, 10, 20, 9, 5).toISOString(),
  kind: 'settle',
  account: 'usage',
  amount: -2,
  balance_after: 1098,
  ref_type: 'chat_deep',
  ref_id: null,
  reason: null,
  lot_id: 'lot-1',
  lot_kind: 'acquisto',
  lot_created_at: new Date(2026, 9, 2, 12).toISOString(),
  lot_expires_at: null,
  order_id: null,
  ...change,
})

/** A ledger of `rows`, newest first, as the function of the database gives it out. */
function answers(rows: Entry[]) {
  return ({ path, body }: Call) => {
    if (path.endsWith('/catalog')) return { body: built }
    const { _before = Infinity, _limit = 50 } = body as { _before?: number; _limit?: number }
    return { body: rows.filter(({ id }) => id < _before).slice(0, _limit) }
  }
}

function open(rows: Entry[]) {
  const calls = answerWith(answers(rows))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <StatementCard userId="user-1" />
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls }
}

beforeEach(() => storeSession())

test('a line says when, what, from which lot, how many and what was left', async () => {
  open([entry(1)])
  const [, row] = within(await screen.findByRole('table')).getAllByRole('row')
  const cells = within(row as HTMLElement).getAllByRole('cell')
  expect(cells.map((cell) => cell.textContent)).toEqual([
    '20 nov 2026',
    expect.stringContaining('Risposta approfondita'),
    'Acquisto del 2 ott 2026',
    '−2',
    '1.098',
  ])
})

test('older lines come page by page, each from where the last one ended', async () => {
  const { user, calls } = open(Array.from({ length: 30 }, (_, index) => entry(30 - index)))
  expect(within(await screen.findByRole('table')).getAllByRole('row')).toHaveLength(26)
  await user.click(screen.getByRole('button', { name: 'Mostra altri movimenti' }))
  await vi.waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(31))
  expect(screen.queryByRole('button', { name: 'Mostra altri movimenti' })).toBeNull()
  expect(calls.filter(({ path }) => path.endsWith('credit_statement')).map(({ body }) => body)).toEqual([
    { _limit: 25 },
    { _before: 6, _limit: 25 },
  ])
})

test('the file holds every line, oldest first, as an Italian spreadsheet reads it', async () => {
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${saved.push(blob as Blob)}`)
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  const reason = '=HYPERLINK("http://truffa.example")'
  const rows = Array.from({ length: 1001 }, (_, index) => entry(1002 - index))
  const { user } = open([...rows, entry(1, { kind: 'adjust', account: 'adjustment', amount: 1200, reason })])
  await user.click(await screen.findByRole('button', { name: 'Scarica CSV' }))
  await vi.waitFor(() => expect(saved).toHaveLength(1))
  const bytes = new Uint8Array((await saved[0]?.arrayBuffer()) ?? new ArrayBuffer(0))
  const lines = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\r\n')
  expect(lines).toHaveLength(1004)
  expect(lines[0]).toBe('\uFEFF"Data";"Cosa";"Provenienza";"Crediti";"Saldo"')
  expect(lines[1]).toBe(
    '"20/11/2026 09:05";"Rettifica: =HYPERLINK(""http://truffa.example"")";"Acquisto del 02/10/2026";1200;1098',
  )
  expect(lines[1002]).toBe('"20/11/2026 09:05";"Risposta approfondita";"Acquisto del 02/10/2026";-2;1098')
})

test('nobody without movements sees an empty table', async () => {
  open([])
  expect(await screen.findByText(/Nessun movimento/)).toBeDefined()
  expect(screen.queryByRole('table')).toBeNull()
})

test('a statement that cannot be read says so and tries again', async () => {
  answerWith(() => ({ status: 400, body: { code: 'X', message: 'broken' } }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <StatementCard userId="user-1" />
    </QueryClientProvider>,
  )
  expect(await screen.findByText('Non riusciamo a leggere l’estratto conto.')).toBeDefined()
  answerWith(answers([entry(1)]))
  await userEvent.setup().click(screen.getByRole('button', { name: 'Riprova' }))
  expect(await screen.findByRole('table')).toBeDefined()
})
