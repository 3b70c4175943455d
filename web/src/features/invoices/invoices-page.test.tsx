import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import InvoicesPage from '@/features/invoices/invoices-page'
import { addMonths, romeDay } from '@/lib/rome-time'

import { answerWith, type Call, makeSession, storeSession } from '../../../test/network'

const invoice = {
  document_id: 'document-1',
  kind: 'fattura',
  type_code: 'TD01',
  issued_on: '2026-10-01',
  contact_name: null,
  counterparty_name: 'Rossi Impianti',
  total_cents: 244_000,
  payable_cents: 244_000,
  open_cents: 244_000,
  currency: 'EUR',
  paid_on: null,
  next_due_on: null,
  state: 'aperta',
  twin: null,
}
const amounts = (cents: number) => ({ total_cents: cents, payable_cents: cents, open_cents: cents })
const invoices = [
  { ...invoice, id: '1', number: '1' },
  { ...invoice, id: '2', number: '2', type_code: 'TD04', kind: 'nota_di_credito', ...amounts(-100_000) },
  { ...invoice, id: '3', number: '3', currency: 'USD', ...amounts(500_000) },
  { ...invoice, id: '4', number: '4', type_code: 'TD17', kind: 'autofattura', ...amounts(0), total_cents: 700_000 },
]
const dates = invoices
  .slice(0, 3)
  .map(({ currency, open_cents: cents }) => ({ due_on: null, cents, paid_on: null, is_late: false, currency }))

const plain = (element?: Element) => element?.textContent?.replaceAll(/\s/g, ' ')

async function totals(name: string) {
  const region = within(await screen.findByRole('region', { name }))
  const values = region.getAllByRole('definition').map(plain)
  return region.getAllByRole('term').map((term, index) => `${plain(term)}: ${values[index]}`)
}

function open(
  query: string,
  rows: object[] | ((path: string) => object | object[] | string) = invoices,
  parts: object[] = dates,
  waiting: object[] = [],
  headers: Record<string, string> = {},
) {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('unregistered_documents')) return { body: waiting }
    if (path.includes('invoice_parts?')) return { body: parts }
    return { body: typeof rows === 'function' ? rows(path) : rows, headers }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[`/?${query}`]}>
        <AuthContext value={{ ...guest, user: makeSession().user as User }}>
          <InvoicesPage />
        </AuthContext>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return calls
}

test.each([
  ['Emesse', [invoice]],
  ['Ricevute', []],
])('without a choice it opens on «%s» when that is where rows are', async (shown, issued) => {
  open('', (path) => (path.includes('issued_on=gte.0001') ? issued : invoices))
  await screen.findByRole('region', { name: 'Scadenzario' })
  expect(screen.getByRole('button', { name: shown, pressed: true })).toBeTruthy()
})

test('credit notes take away, currencies stand apart, self-invoices are not to be paid', async () => {
  open('tipo=attive&stato=tutte')
  expect(await totals('Scadenzario')).toEqual([
    'Scaduto: 0,00 €',
    'Entro 30 giorni: 0,00 €',
    'Più avanti: 0,00 €',
    'Senza scadenza: 1.440,00 €',
  ])
  expect(await totals('Scadenzario in USD')).toContain('Senza scadenza: 5.000,00 USD')
  const rows = within(await screen.findByRole('list', { name: 'Fatture' })).getAllByRole('listitem')
  const shown = ['2.440,00 €', '-1.000,00 €', '5.000,00 USD', '7.000,00 €']
  expect(rows.map((row, index) => plain(row)?.includes(shown[index] ?? ''))).toEqual([true, true, true, true])
  expect(rows.map((row) => within(row).queryByRole('button') !== null)).toEqual([true, true, true, false])
})

test('a client who is late is reminded from the register, by name of the invoice', async () => {
  const late = { state: 'scaduta', next_due_on: '2026-10-31', late_cents: 244_000, contact_id: 'rossi' }
  open('tipo=attive', (path) => {
    if (path.includes('/mail_accounts')) return [{ from_address: 'io@studio.example', signature: null }]
    if (path.includes('/contacts?select=*'))
      return { id: 'rossi', type: 'azienda', name: 'Rossi Impianti', emails: [], phones: [] }
    if (path.includes('/next_mail_time')) return '2026-11-02T07:00:00Z'
    if (path.includes('/contact_list')) return { company_name: null, tags: [], consents: {} }
    return [
      { ...invoice, ...late, id: '1', number: '1' },
      { ...invoice, ...late, id: '2', number: '2', contact_id: null },
      { ...invoice, ...late, id: '3', number: '3', state: 'aperta' },
    ]
  })
  const remind = await screen.findByRole('button', { name: /^Sollecita/ })
  expect(remind.textContent).toContain('la fattura 1')
  await userEvent.click(remind)
  expect(await screen.findByText(/Questo contatto non ha un indirizzo email/)).toBeTruthy()
})

test('only amounts without a due date make the fourth figure', async () => {
  open('tipo=attive', invoices, [{ due_on: '2099-01-01', cents: 1, paid_on: null, is_late: false, currency: 'EUR' }])
  expect(await totals('Scadenzario')).toEqual(['Scaduto: 0,00 €', 'Entro 30 giorni: 0,00 €', 'Più avanti: 0,01 €'])
})

test('a row shows what is left of an invoice, as the totals count it', async () => {
  open('tipo=passive', [{ ...invoice, id: '1', number: '1', state: 'in_parte', open_cents: 44_000 }])
  const [row] = within(await screen.findByRole('list', { name: 'Fatture' })).getAllByRole('listitem')
  expect(plain(row)).toContain('440,00 €di 2.440,00 €')
})

test('what nobody pays is not among what is open', async () => {
  const calls = open('tipo=passive')
  await screen.findByRole('list', { name: 'Fatture' })
  const asked = calls.map(({ path }) => path).find((path) => path.includes('invoice_register?'))
  expect(asked).toContain('kind=neq.autofattura')
})

test('the same invoice counts once and says where it is already', async () => {
  const again = { ...invoice, id: '2', number: '1', twin: { document_id: 'document-2', filename: 'b.xml' } }
  const calls = open('tipo=attive', [{ ...invoice, id: '1', number: '1' }, again])
  const [first, second] = within(await screen.findByRole('list', { name: 'Fatture' })).getAllByRole('listitem')
  expect([first, second].map((row) => row?.textContent?.includes('ce l’hai già in b.xml'))).toEqual([false, true])
  const due = calls.map(({ path }) => path).find((path) => path.includes('invoice_parts?'))
  expect(due).toContain('counts=eq.true')
})

test.each([
  ['tipo=passive', 'next_due_on.asc.nullslast,issued_on.desc.nullslast,id.asc'],
  ['tipo=passive&stato=tutte', 'issued_on.desc.nullslast,id.asc'],
])('of what is open the late ones are asked for first: %s', async (query, order) => {
  const calls = open(query)
  await screen.findByRole('list', { name: 'Fatture' })
  const asked = calls.map(({ path }) => path).find((path) => path.includes('invoice_register?'))
  expect(new URLSearchParams(asked?.split('?')[1]).get('order')).toBe(order)
})

const asked = (calls: Call[]) => calls.map(({ path }) => path).findLast((path) => path.includes('invoice_register?'))

test('the register of one contact names them, asks for nobody else and leads back to all', async () => {
  const id = '6f1c1f0e-0000-4000-8000-000000000001'
  const calls = open(`tipo=attive&contatto=${id}`, (path) =>
    path.includes('/contact') ? { id, name: 'Rossi Impianti srl' } : invoices,
  )
  expect(await screen.findByRole('link', { name: 'Rossi Impianti srl' })).toBeDefined()
  expect(asked(calls)).toContain(`contact_id=eq.${id}`)
  await userEvent.setup().click(screen.getByRole('button', { name: 'Mostra tutti i contatti' }))
  await waitFor(() => expect(asked(calls)).not.toContain('contact_id=eq.'))
  expect(screen.queryByText(/Solo le fatture di/)).toBeNull()
})

const paper = {
  document_id: 'document-9',
  filename: 'scan_0012.pdf',
  direction: 'passiva',
  contact_id: null,
  counterparty: 'Neri S.r.l.',
  counterparty_vat: null,
  issued_on: '2026-10-02',
  due_on: null,
  total_cents: 90_080,
  currency: 'EUR',
  gaps: ['no_number', 'total'],
}
const ready = { ...paper, document_id: 'document-8', counterparty: 'Verdi', total_cents: 12_200, gaps: [] }
const asks = (calls: Call[], name: string) => calls.filter(({ path }) => path.includes(name)).map(({ body }) => body)

test('above the sums stands what they leave out, of their direction', async () => {
  open('tipo=passive', invoices, dates, [paper, ready, { ...ready, document_id: 'document-7', direction: 'attiva' }])
  const line = await screen.findByRole('link', { name: /non ancora registrati/ })
  expect(plain(line)).toBe('2 documenti non ancora registrati, 1.022,80 €')
  expect(line.getAttribute('href')).toBe('/documents/fatture?tipo=verificare')
  expect(screen.getByRole('button', { name: 'Da verificare (3)' })).toBeDefined()
})

test('what waits says for what, and leads to the paper or into the register', async () => {
  const calls = open('tipo=verificare', [], [], [paper, ready])
  const rows = within(await screen.findByRole('list', { name: 'Da verificare' })).getAllByRole('listitem')
  expect(plain(rows[0])).toContain('Numero: manca · Totale: da confermare')
  const complete = within(rows[0] as HTMLElement).getByRole('link', { name: 'Completa: Neri S.r.l.' })
  expect(complete.getAttribute('href')).toBe('/documents/document-9')
  expect(screen.queryByRole('list', { name: 'Fatture' })).toBeNull()
  await userEvent.setup().click(within(rows[1] as HTMLElement).getByRole('button', { name: 'Registra: Verdi' }))
  await waitFor(() => expect(asks(calls, 'confirm_invoice')).toEqual([{ _document_id: 'document-8' }]))
})

test('all that is ready is registered with one press, the rest stays', async () => {
  const calls = open('tipo=verificare', [], [], [paper, ready, { ...ready, document_id: 'document-7' }])
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Registra le 2 pronte' }))
  await waitFor(() =>
    expect(asks(calls, 'confirm_invoice')).toEqual([{ _document_id: 'document-8' }, { _document_id: 'document-7' }]),
  )
})

test('what is not to be registered leaves the list for good', async () => {
  const calls = open('tipo=verificare', [], [], [paper])
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Non è da registrare: Neri S.r.l.' }))
  await waitFor(() =>
    expect(asks(calls, 'leave_out_of_register')).toEqual([{ _document_id: 'document-9', _is_left_out: true }]),
  )
})

test('nothing waits', async () => {
  open('tipo=verificare', [], [], [])
  expect(await screen.findByText('Niente da verificare')).toBeDefined()
})

const packet = {
  sums: [
    { direction: 'attiva', currency: 'EUR', is_self_invoice: false, times: 3, total_cents: 158_600 },
    { direction: 'passiva', currency: 'EUR', is_self_invoice: false, times: 1, total_cents: 50_000 },
    { direction: 'passiva', currency: 'EUR', is_self_invoice: true, times: 1, total_cents: 20_000 },
  ],
  findings: [
    { kind: 'mancanti', title: 'Cerca una fattura che manca', body: 'Numeri che mancano nella serie: 3/2026.' },
    { kind: 'file', title: 'Ricarica i file di 2 fatture', body: 'Senza il file originale: 4, 5.' },
  ],
  papers: [{ is_waiting: true }, { is_waiting: false }, { is_waiting: false }],
}

test('the packet of a month says what is in it and what is missing, and is saved by its name', async () => {
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    saved.push(this.download)
  })
  const calls = open('tipo=attive', (path) => (path.includes('/rpc/month_packet') ? packet : invoices), dates, [], {
    'content-disposition': 'attachment; filename="x.zip"; filename*=UTF-8\'\'Pacchetto-2026-10-Caff%C3%A8.zip',
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Per il commercialista' }))
  const month = await screen.findByRole('combobox', { name: 'Mese' })
  const months = () => calls.filter(({ path }) => path.includes('/rpc/month_packet')).map(({ body }) => body)
  const before = addMonths(romeDay(new Date()), -1)
  await waitFor(() => expect(months()).toEqual([{ _month: before }]))
  await user.selectOptions(month, addMonths(before, -2).slice(0, 7))
  await waitFor(() => expect(months().at(-1)).toEqual({ _month: addMonths(before, -2) }))
  const dialog = within(screen.getByRole('dialog'))
  const terms = (await dialog.findAllByRole('term')).map(plain)
  const values = dialog.getAllByRole('definition').map(plain)
  expect(terms.map((term, index) => `${term}: ${values[index]}`)).toEqual([
    'Emesse: 3 fatture · 1.586,00 €',
    'Ricevute: 1 fattura · 500,00 €',
    'Autofatture ricevute: 1 fattura · 200,00 €',
    'Da registrare: 1 documento',
    'Altri documenti: 2 documenti',
  ])
  const link = dialog.getByRole('link', { name: 'Ricarica i file di 2 fatture' })
  expect(link.getAttribute('href')).toBe('/documents')
  await user.click(dialog.getByRole('button', { name: 'Scarica' }))
  await waitFor(() => expect(saved).toEqual(['Pacchetto-2026-10-Caffè.zip']))
  const { path } = calls.find((call) => call.path.includes('/functions/v1/month_packet')) ?? {}
  expect(path).toContain(`month=${addMonths(before, -2).slice(0, 7)}`)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a month without anything has no packet', async () => {
  open('tipo=attive&pacchetto=2020-02', (path) =>
    path.includes('month_packet') ? { sums: [], findings: [], papers: [] } : invoices,
  )
  expect(await screen.findByText('Di febbraio 2020 non c’è ancora niente da mandare.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Scarica' })).toBeNull()
})
