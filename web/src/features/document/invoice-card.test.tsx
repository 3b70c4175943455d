import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import type { Part, WholeInvoice } from '@/data/invoices'
import { InvoiceCard } from '@/features/document/invoice-card'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

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
  contact_name: null,
  kind: 'fattura',
  sign: 1,
  net_cents: null,
  vat_cents: null,
  total_cents: 100_000,
  withheld_cents: null,
  split_vat_cents: null,
  payable_cents: 80_000,
  paid_cents: 0,
  open_cents: 80_000,
  late_cents: 0,
  next_due_on: null,
  state: 'aperta',
  filename: 'a.xml',
  deleted_at: null,
  currency: 'EUR',
  content: null,
  findings: [],
  paid_on: null,
  is_automatic: false,
  source: 'fatturapa',
  created_at: '2026-10-01T10:00:00Z',
  twin: null,
  schedules: [],
}

function open(change: Partial<WholeInvoice>) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={member}>
        <MemoryRouter>
          <InvoiceCard invoice={{ ...invoice, ...change }} userId="user-1" isOneOfMany={false} />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

test.each([
  ['an invoice in dollars', { currency: 'USD' }, 'Da pagare', '800,00 USD', 1],
  ['a credit note', { kind: 'nota_di_credito', payable_cents: -80_000 }, 'Da pagare', '-800,00 €', 1],
  ['a self-invoice', { kind: 'autofattura', payable_cents: 0 }, 'Totale', '1.000,00 €', 0],
] as const)('%s', (_, change, name, amount, buttons) => {
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
  const part: Part = {
    id: '2',
    user_id: 'user-1',
    invoice_id: '1',
    document_id: 'document-1',
    no: 1,
    direction: 'passiva',
    currency: 'EUR',
    issued_on: '2026-10-01',
    due_on: null,
    method: null,
    iban: null,
    task_id: null,
    cents: 80_000,
    paid_on: null,
    is_late: false,
    counts: true,
  }
  open({ schedules: [part] })
  expect(screen.getAllByRole('button')).toHaveLength(1)
})

test('a client who is late is reminded by a letter that can be changed', async () => {
  storeSession()
  const emails = [{ id: 'e', value: 'neri@example.com', label: null, is_primary: true }]
  answerWith(({ path }) => {
    if (path.includes('/contacts?select=*'))
      return { body: { id: 'neri', type: 'azienda', name: 'Neri srl', emails, phones: [] } }
    if (path.includes('/mail_accounts')) return { body: [{ from_address: 'io@studio.example', signature: null }] }
    if (path.includes('/next_mail_time')) return { body: '2026-11-02T07:00:00Z' }
    return { body: path.includes('/contact_list') ? { company_name: null, tags: [], consents: {} } : [] }
  })
  open({ direction: 'attiva', state: 'scaduta', contact_id: 'neri', next_due_on: '2026-10-31', late_cents: 80_000 })
  await userEvent.click(await screen.findByRole('button', { name: /^Sollecita/ }))
  const text = await screen.findByLabelText<HTMLTextAreaElement>('Testo')
  expect(text.value).toMatch(/^Spett\.le Neri srl,\s+La fattura n\. 1 del 1 ottobre 2026, di 800,00\s€/)
  expect(screen.getByLabelText<HTMLInputElement>('Allega il PDF della fattura').checked).toBe(true)
})
