import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { AuthContext } from '@/data/auth-context'
import ContactPage from '@/features/crm/contact-page'
import { paths } from '@/paths'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const anna = {
  id: 'anna',
  type: 'persona',
  name: 'Anna Verdi',
  first_name: 'Anna',
  last_name: 'Verdi',
  origin: 'manuale',
  emails: [],
  phones: [],
  next_touch_at: '2026-12-01T08:00:00Z',
  merged_into: null as string | null,
  deleted_at: null as string | null,
}

const isSave = ({ path }: Call) => path.includes('/save_contact')
const refused = () => ({ status: 404, body: { code: 'PT404', message: 'the contact is merged or in the trash' } })

function show(contactId: string): void {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={[paths.crmContact(contactId)]}>
          <Routes>
            <Route path={paths.crmContact(':contactId')} element={<ContactPage />} />
          </Routes>
        </MemoryRouter>
      </AuthContext>
      <Toaster />
    </QueryClientProvider>,
  )
}

/** @param saves what the server answers to the writing of this number */
function open(gone: Partial<typeof anna> = {}, saves: (count: number) => { status?: number; body: unknown } = refused) {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('/save_contact')) return saves(calls.filter(isSave).length)
    if (path.includes('/contact_list?select=company_name'))
      return { body: { company_name: null, tags: [], consents: {} } }
    return { body: path.includes('/contacts?select=*') ? { ...anna, ...gone } : [] }
  })
  show('anna')
  return Object.assign(userEvent.setup(), { saved: () => calls.filter(isSave).map(({ body }) => body) })
}

const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent.trim())
const editors = ['Modifica', 'Registra', 'Registra una risposta', 'Rimanda']

test('a contact is edited where it is seen', async () => {
  open()
  await screen.findByRole('heading', { name: 'Anna Verdi' })
  expect(buttons()).toEqual(expect.arrayContaining(editors))
})

test.for([
  ['merged', { merged_into: 'other' }, 'Apri quello rimasto'],
  ['in the trash', { deleted_at: '2026-11-21T08:00:00Z' }, 'Ripristina'],
] as const)('a contact that is %s is only read', async ([, gone, way]) => {
  const user = open(gone)
  await screen.findByText(way)
  expect(buttons().filter((name) => editors.includes(name))).toEqual([])
  await user.keyboard('e')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('who saves a contact that is gone since is told so', async () => {
  const user = open()
  await user.click(await screen.findByRole('button', { name: 'Modifica' }))
  await user.click(await screen.findByRole('button', { name: 'Salva' }))
  expect(await screen.findByText('Questo contatto non c’è più: è nel cestino, o unito a un altro')).toBeDefined()
})

test('«Annulla» takes back what was changed and nothing else, and says when it could not', async () => {
  const user = open({}, (count) =>
    count === 1 ? { body: 'anna' } : { status: 500, body: { code: '', message: 'away' } },
  )
  await user.click(await screen.findByRole('button', { name: 'Modifica' }))
  await user.clear(await screen.findByLabelText('Cognome'))
  await user.type(screen.getByLabelText('Cognome'), 'Neri')
  await user.click(screen.getByRole('button', { name: 'Salva' }))
  // A toast asks jsdom for pointers, which it has not.
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  expect(await screen.findByText('Non siamo riusciti ad annullare: riprova')).toBeDefined()
  expect(user.saved()).toEqual([
    { _contact: { id: 'anna', last_name: 'Neri' } },
    { _contact: { id: 'anna', last_name: 'Verdi' } },
  ])
})

test('an address that is no contact says so, and offers no second try', async () => {
  answerWith(() => ({ status: 400, body: { code: '22P02', message: 'invalid input syntax for type uuid: "boh"' } }))
  storeSession()
  show('boh')
  expect(await screen.findByRole('heading', { name: 'Contatto non trovato' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Riprova' })).toBeNull()
})

test('the history of a company is also that of its people, by name', async () => {
  storeSession()
  const note = { kind: 'nota', title: 'Nota', body: 'Chiede il preventivo', ref_type: 'note', data: {} }
  const calls = answerWith(({ path }) => {
    if (path.includes('company_id=eq.anna')) return { body: [{ id: 'ugo', name: 'Ugo Rossi', job_title: null }] }
    if (path.includes('/contact_list?select=company_name'))
      return { body: { company_name: null, tags: [], consents: {} } }
    if (path.includes('/timeline'))
      return { body: [{ ...note, id: 'note:1', ref_id: '1', contact_id: 'ugo', at: '2026-11-20T09:00:00Z' }] }
    return { body: path.includes('/contacts?select=*') ? { ...anna, type: 'azienda' } : [] }
  })
  show('anna')
  const story = await screen.findByRole('region', { name: 'Storia' })
  expect(await within(story).findByText('Ugo Rossi')).toBeDefined()
  const asked = calls.filter(({ path }) => path.includes('/timeline')).map(({ path }) => decodeURIComponent(path))
  expect(asked.every((path) => path.includes('contact_id=in.(anna,ugo)'))).toBe(true)
})
