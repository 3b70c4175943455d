import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import LinkingPage from '@/features/crm-linking/linking-page'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const candidate = (id: string, name: string, reason: string) => ({
  contact_id: id,
  name,
  type: 'azienda',
  company: null,
  reason,
})
const party = {
  party_key: 'vat:00743110157',
  name: 'NERI SRL',
  vat_number: '00743110157',
  tax_code: null,
  document_ids: ['d1', 'd2'],
  invoices: 1,
  issued_cents: 36_600,
  received_cents: null,
  latest_on: '2026-11-17',
  candidates: [],
  is_sure: false,
  draft: {
    name: 'NERI SRL',
    vat_number: '00743110157',
    address: { street: 'Via Roma 1', city: 'Bologna', province: 'BO' },
  },
}
const known = {
  ...party,
  party_key: 'name:verdi',
  name: 'Verdi',
  vat_number: null,
  document_ids: ['d3'],
  candidates: [candidate('c1', 'Verdi S.p.A.', 'same_name'), candidate('c2', 'Verdini', 'similar_name')],
  is_sure: true,
  draft: { name: 'Verdi' },
}

type Sent = { _choices: { party_key: string; create?: true; contact_id?: string }[] }

function open(parties: { party_key: string }[]) {
  storeSession()
  const linked = new Set<string>()
  const calls = answerWith(({ path, body }) => {
    if (path.endsWith('/parties_to_link')) return { body: parties.filter(({ party_key: key }) => !linked.has(key)) }
    if (path.endsWith('/link_parties')) {
      const { _choices: choices } = body as Sent
      for (const { party_key: key } of choices) linked.add(key)
      return {
        body: choices.map(({ party_key, create, contact_id }) => ({
          party_key,
          contact_id: contact_id ?? 'new',
          is_new: create === true,
          document_ids: [`of ${party_key}`],
        })),
      }
    }
    return { body: [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter>
          <LinkingPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
}
const sent = (calls: Call[]) =>
  calls.filter(({ path }) => path.endsWith('/link_parties')).map(({ body }) => body as Sent)
const rowOf = async (name: string) => within(await screen.findByRole('listitem', { name }))
const gone = (name: string) => waitFor(() => expect(screen.queryByRole('listitem', { name })).toBeNull())

test('a sure contact is chosen beforehand, with its reason; the others wait for a choice', async () => {
  open([party, known])
  const row = await rowOf('Verdi')
  expect(row.getByRole<HTMLInputElement>('radio', { name: 'Verdi S.p.A. stesso nome' }).checked).toBe(true)
  const other = await rowOf('NERI SRL')
  expect(
    other.getByRole<HTMLInputElement>('radio', { name: /Nuovo contatto P.IVA 00743110157 · Via Roma 1, Bologna/ })
      .checked,
  ).toBe(false)
  expect(other.getByRole<HTMLButtonElement>('button', { name: 'Conferma: NERI SRL' }).disabled).toBe(true)
  expect(other.getByText(/2 documenti, 1 nel registro · emesse 366,00/)).toBeDefined()
})

test('all that is chosen is shown before it is linked, and linked at once', async () => {
  const calls = open([party, known])
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Nuovo contatto per l’altro' }))
  await user.click(screen.getByRole('button', { name: 'Conferma tutti (2)' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Collegare 1 nome e creare 1 contatto?' }))
  expect(dialog.getByText(/P.IVA 00743110157/)).toBeDefined()
  expect(sent(calls)).toEqual([])
  await user.click(dialog.getByRole('button', { name: 'Conferma' }))
  await waitFor(() =>
    expect(sent(calls)).toEqual([
      {
        _choices: [
          { party_key: 'vat:00743110157', create: true },
          { party_key: 'name:verdi', contact_id: 'c1' },
        ],
      },
    ]),
  )
})

test('keys move, choose and confirm', async () => {
  const calls = open([known, party])
  await rowOf('Verdi')
  await userEvent.setup().keyboard('j2{Enter}')
  await waitFor(() => expect(sent(calls)).toEqual([{ _choices: [{ party_key: 'name:verdi', contact_id: 'c2' }] }]))
  await gone('Verdi')
  const row = await rowOf('NERI SRL')
  const dismissal = row.getByRole<HTMLButtonElement>('button', { name: 'Non è un contatto: NERI SRL' })
  await waitFor(() => expect(dismissal.disabled).toBe(false))
  await userEvent.setup().keyboard('jn{Enter}')
  await waitFor(() => expect(sent(calls)[1]).toEqual({ _choices: [{ party_key: 'vat:00743110157', create: true }] }))
})

test('whoever moves on while a row is being saved keeps the row that has the focus', async () => {
  const calls = open([known, party, { ...party, party_key: 'name:bassi', name: 'BASSI SRL' }])
  await rowOf('Verdi')
  await userEvent.setup().keyboard('j{Enter}jj')
  const radio = (await rowOf('BASSI SRL')).getByRole('radio', { name: /Nuovo contatto/ })
  expect(document.activeElement).toBe(radio)
  await waitFor(() => expect(calls.filter(({ path }) => path.endsWith('/parties_to_link'))).toHaveLength(2))
  await gone('Verdi')
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  expect(document.activeElement).toBe(radio)
})

test('who is no contact is told so', async () => {
  const calls = open([party])
  await userEvent.setup().click((await rowOf('NERI SRL')).getByRole('button', { name: 'Non è un contatto: NERI SRL' }))
  await waitFor(() =>
    expect(calls.find(({ path, method }) => path.includes('dismissed_parties') && method === 'POST')?.body).toEqual({
      party_key: 'vat:00743110157',
    }),
  )
})

test('nothing waits', async () => {
  open([])
  expect(await screen.findByText('Tutto collegato')).toBeDefined()
})
