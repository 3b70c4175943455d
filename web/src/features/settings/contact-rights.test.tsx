import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { format, subDays } from 'date-fns'
import { MemoryRouter, useSearchParams } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { ClientRequestsCard } from '@/features/settings/client-requests-card'
import { ContactRights } from '@/features/settings/contact-rights'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const today = format(new Date(), 'yyyy-MM-dd')
const request = {
  id: 'r',
  contact_id: 'c',
  contact_name: 'Zoe Quarti',
  kind: 'copia',
  received_on: '2026-01-10',
  received_by: 'email',
  due_on: format(subDays(new Date(), 3), 'yyyy-MM-dd'),
  extended_at: null,
  extension_reason: null,
  closed_at: null,
}
const finding = { reason: null, since: null, newest: [{ id: 'x', at: null, text: 'Zoe Quarti' }] }
const findings = [
  { ...finding, domain: 'scheda', place: 'contacts', label: 'La scheda', fate: 'via', found: 1 },
  {
    ...finding,
    domain: 'documenti',
    place: 'invoices',
    label: 'Fatture',
    fate: 'resta',
    found: 2,
    reason: 'Dieci anni',
  },
  { ...finding, domain: 'forse', place: 'tasks', label: 'Attività', fate: 'senza_nome', found: 4 },
]

/** As the privacy page, without its other cards. */
function Screen() {
  const contactId = useSearchParams()[0].get('cliente')
  return contactId ? <ContactRights contactId={contactId} /> : <ClientRequestsCard />
}

function show(refusal?: string) {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('rpc/find_contact_data')) return { body: findings }
    if (path.includes('rpc/erase_contact')) {
      return refusal
        ? { status: 400, body: { code: refusal, message: 'no' } }
        : { body: { id: 'e', lines: [{ label: 'La scheda', fate: 'via', found: 1, reason: null }] } }
    }
    if (path.startsWith('/rest/v1/contact_requests')) {
      return { body: path.includes('closed_at=is.null') ? [request] : [] }
    }
    return { body: [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={['/settings/privacy']}>
          <Screen />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
}

test('a late request says since when, is not extended, and leads to everything about its contact', async () => {
  show()
  const row = await screen.findByText('scaduta da 3 giorni')
  expect(row.className).toContain('text-error')
  expect(screen.queryByRole('button', { name: /^Prolunga/ })).toBeNull()
  await userEvent.click(screen.getByRole('link', { name: 'Trova tutto di Zoe Quarti' }))
  expect(await screen.findByText('Potrebbe riguardare Zoe Quarti')).toBeDefined()
})

test('a request needs a contact and is sent with its day', async () => {
  const calls = show()
  await userEvent.click(await screen.findByRole('button', { name: 'Registra una richiesta' }))
  await userEvent.click(screen.getByRole('button', { name: 'Registra' }))
  expect((await screen.findByText('Scegli un contatto')).getAttribute('role')).toBe('alert')
  expect(screen.getByLabelText('Ricevuta il')).toHaveProperty('value', today)
  expect(calls.some(({ path }) => path.includes('register_contact_request'))).toBe(false)
})

async function typeName(name: string) {
  await userEvent.click(await screen.findByRole('link', { name: 'Trova tutto di Zoe Quarti' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Cancella Zoe Quarti' }))
  await userEvent.type(screen.getByLabelText('Scrivi «Zoe Quarti» per confermare'), name)
  await userEvent.click(screen.getByRole('button', { name: 'Cancella per sempre' }))
}

test('the erasure shows what goes and stays, takes mentions out of it, and ends with its certificate', async () => {
  const calls = show()
  await userEvent.click(await screen.findByRole('link', { name: 'Trova tutto di Zoe Quarti' }))
  const stays = await screen.findByRole('list', { name: 'Resta, e perché' })
  expect(
    within(stays)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Fatture 2Dieci anni.'])
  await userEvent.click(screen.getByRole('checkbox', { name: /^Togli il suo nome anche/ }))
  expect(stays.textContent).toContain('Attività che lo nominano')
  await userEvent.click(screen.getByRole('button', { name: 'Cancella Zoe Quarti' }))
  await userEvent.type(screen.getByLabelText('Scrivi «Zoe Quarti» per confermare'), 'Zoe Quarti')
  await userEvent.click(screen.getByRole('button', { name: 'Cancella per sempre' }))
  expect(await screen.findByRole('button', { name: 'Scarica il certificato' })).toBeDefined()
  expect(calls.find(({ path }) => path.includes('erase_contact'))?.body).toEqual({
    _contact_id: 'c',
    _typed_name: 'Zoe Quarti',
    _with_mentions: false,
  })
})

test('a wrong name erases nothing and says which one to type', async () => {
  show('SC054')
  await typeName('Zoe')
  expect((await screen.findByRole('alert')).textContent).toBe('Scrivi «Zoe Quarti», come sta scritto sopra')
})
