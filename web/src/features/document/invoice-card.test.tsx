import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import type { WholeInvoice } from '@/data/invoices'
import { InvoiceCard } from '@/features/document/invoice-card'

const invoice: WholeInvoice = {
  id: '1',
  user_id: 'user-1',
  document_id: 'document-1',
  body_no: 1,
  direction: 'passiva',
  type_code: 'TD01',
  number: '1',
  issued_on: '2026-10-01',
  contact_id: null,
  counterparty_name: null,
  counterparty_vat: null,
  net_cents: null,
  vat_cents: null,
  total_cents: 100_000,
  due_cents: null,
  currency: 'EUR',
  content: null,
  findings: [],
  paid_on: null,
  source: 'fatturapa',
  created_at: '2026-10-01T10:00:00Z',
  twin: null,
  schedules: [],
}

function open(change: Partial<WholeInvoice>) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <InvoiceCard invoice={{ ...invoice, ...change }} userId="user-1" isOneOfMany={false} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

test.each([
  ['an invoice in dollars', { currency: 'USD' }, 'Da pagare', '1.000,00 USD', 1],
  ['a credit note', { type_code: 'TD04' }, 'Da pagare', '-1.000,00 €', 1],
  ['a self-invoice', { type_code: 'TD17' }, 'Totale', '1.000,00 €', 0],
])('%s', (_, change, name, amount, buttons) => {
  open(change)
  expect(screen.getByText(name).parentElement?.textContent?.replaceAll(/\s/g, ' ')).toBe(name + amount)
  expect(screen.queryAllByRole('button')).toHaveLength(buttons)
})

test('what is there twice names the file in which it counts', () => {
  open({ twin: { document_id: 'document-2', filename: 'b.xml' } })
  const link = screen.getByRole('link', { name: 'b.xml' })
  expect(link.parentElement?.textContent).toBe('Ce l’hai già in b.xml: nei totali conta una volta sola.')
  expect(link.getAttribute('href')).toContain('document-2')
})

test('of what has no day nothing reminds', () => {
  const part = { ...invoice, invoice_id: '1', no: 1, amount_cents: 1, method: null, iban: null, task_id: null }
  open({ schedules: [{ ...part, due_on: null }] })
  expect(screen.getAllByRole('button')).toHaveLength(1)
})
