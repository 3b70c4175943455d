import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import type { WholeContact } from '@/data/contacts'
import { ContactPapers } from '@/features/crm/contact-papers'

import { answerWith, type Call, storeSession } from '../../../test/network'

const row = {
  contact_id: 'rossi',
  name: 'Rossi srl',
  relation: 'stesso',
  direction: 'attiva',
  currency: 'EUR',
  open_cents: 427_000,
  late_cents: 120_000,
  late_since: new Date(Date.now() - 23 * 86_400_000).toISOString().slice(0, 10),
  invoiced_net_cents: 350_000,
  invoiced_cents: 427_000,
  paid_cents: 55_000,
  paid_days: 60,
  paid_count: 2,
}
const ofAnna = {
  ...row,
  contact_id: 'anna',
  name: 'Anna Verdi',
  relation: 'persona',
  open_cents: 10_000,
  late_cents: 0,
}
const invoice = {
  id: '1',
  document_id: 'document-1',
  number: '12/2026',
  kind: 'fattura',
  direction: 'attiva',
  issued_on: '2026-10-01',
  open_cents: 244_000,
  payable_cents: 244_000,
  currency: 'EUR',
  contact_id: 'anna',
  next_due_on: '2026-10-31',
  paid_on: null,
  state: 'scaduta',
}
const rossi = { id: 'rossi', type: 'azienda', name: 'Rossi srl', vat_number: '00743110157', tax_code: null }

type Answers = { money?: object[]; people?: object[]; contact?: object; unlinked?: object[]; documents?: number }

function open({ money = [row], people = [], contact = rossi, unlinked = [], documents = 200 }: Answers = {}) {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('/contact_money')) return { body: money }
    if (path.includes('contact_id=is.null')) return { body: unlinked }
    if (path.includes('/invoice_register?')) return { body: [invoice], headers: { 'Content-Range': '0-0/1' } }
    if (path.includes('/contact_list?')) return { body: people }
    if (path.includes('/documents?'))
      return { status: documents, body: documents === 200 ? [] : { code: '', message: 'away' } }
    return { body: [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <ContactPapers userId="user-1" contact={contact as unknown as WholeContact} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return calls
}

const plain = (element: Element) => element.textContent.replaceAll(/\s/g, ' ')
const issued = async () => plain(await screen.findByRole('region', { name: 'Fatture emesse in EUR' }))
const lastRegister = (calls: Call[]) =>
  calls.map(({ path }) => path).findLast((path) => path.includes('invoice_register?') && !path.includes('is.null,'))

test('a contact says what they owe, since when, what was invoiced and paid, and how fast they pay', async () => {
  open()
  expect(await issued()).toBe(
    'Ti deve4.270,00 €di cui 1.200,00 € in ritardo, da 23 giorni' +
      'Fatturato quest’anno3.500,00 € netti4.270,00 € con IVAIncassato quest’anno550,00 €Paga in media in30 giorni',
  )
  expect(screen.getByRole('link', { name: 'Tutte le fatture' }).getAttribute('href')).toBe(
    '/documents/fatture?tipo=attive&stato=tutte&contatto=rossi',
  )
})

test('currencies are never added, and what is to be paid is apart from what is owed', async () => {
  open({
    money: [row, { ...row, currency: 'USD', open_cents: 100 }, { ...row, direction: 'passiva', open_cents: 5_000 }],
  })
  expect(await issued()).toContain('4.270,00 €')
  expect(plain(screen.getByRole('region', { name: 'Fatture emesse in USD' }))).toContain('1,00 USD')
  expect(plain(screen.getByRole('region', { name: 'Fatture ricevute in EUR' }))).toContain('Devi pagare50,00 €')
})

test('a company shows what its people owe too, names them, and can leave them out', async () => {
  const calls = open({ money: [row, ofAnna], people: [{ id: 'anna', name: 'Anna Verdi', job_title: null }] })
  await waitFor(async () => expect(await issued()).toContain('Ti deve4.370,00 €'))
  expect(within(await screen.findByRole('list', { name: 'Fatture' })).getByText('Anna Verdi')).toBeDefined()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Solo l’azienda' }))
  expect(await issued()).toContain('Ti deve4.270,00 €')
  await waitFor(() => expect(lastRegister(calls)).toContain('contact_id=in.(rossi)'))
})

test('a person shows what their company owes in a line, and not in their own sum', async () => {
  const anna = { ...rossi, id: 'anna', type: 'persona', name: 'Anna Verdi' }
  open({
    contact: anna,
    money: [
      { ...ofAnna, relation: 'stesso' },
      { ...row, relation: 'azienda' },
    ],
  })
  expect(await issued()).toContain('Ti deve100,00 €')
  const company = screen.getByRole('link', { name: 'Alla sua azienda' })
  expect(plain(company.parentElement ?? company)).toBe('Alla sua azienda: 4.270,00 € aperti')
})

test('an invoice that is there as a file and as a scan waits once, and states are filtered by the server', async () => {
  const calls = open()
  expect(await screen.findByText('in ritardo, scaduta il 31 ott 2026')).toBeDefined()
  expect(lastRegister(calls)).toContain('twin=is.null')
  await userEvent.setup().click(screen.getByRole('button', { name: 'Pagate' }))
  await waitFor(() => expect(lastRegister(calls)).toContain('paid_on=not.is.null'))
})

test('invoices that only name the contact are shown apart, in no sum', async () => {
  open({ money: [], unlinked: [{ ...invoice, contact_id: null }] })
  expect(await screen.findByText('Nessuna fattura con Rossi srl.')).toBeDefined()
  const list = await screen.findByRole('list', { name: 'Fatture non collegate' })
  expect(within(list).getByRole('link', { name: '12/2026' })).toBeDefined()
})

test('what cannot be read says so, and the other parts stay', async () => {
  open({ documents: 500 })
  expect(await screen.findByText('Non riusciamo a leggere i documenti.')).toBeDefined()
  expect(await issued()).toContain('Ti deve')
})
