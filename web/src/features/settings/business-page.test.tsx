import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { User } from '@supabase/supabase-js'
import { MemoryRouter } from 'react-router'
import { Toaster } from 'sonner'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import type { Profile } from '@/data/profiles'
import BusinessPage from '@/features/settings/business-page'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile } from '../../../test/profile'

const user = { id: 'user-1', email: 'giulia@socio.example' } as User
const IBAN = 'IT60X0542811101000000123456'
const source = { number: '12/2026', issued_on: '2026-03-01', document_id: 'd-1', sender: null }

type Opening = { profile?: Profile; suggestions?: object[]; refuse?: object }

function open({ profile = makeProfile(), suggestions = [], refuse }: Opening = {}) {
  storeSession()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const page = (shown: Profile) => (
    <QueryClientProvider client={client}>
      <AuthContext value={{ ...guest, user, level: 'aal1', profile: shown }}>
        <MemoryRouter>
          <BusinessPage />
        </MemoryRouter>
        <Toaster />
      </AuthContext>
    </QueryClientProvider>
  )
  const calls = answerWith(({ method, body }) => {
    if (method !== 'PATCH') return { body: suggestions }
    return refuse ? { status: 400, body: refuse } : { body: { ...profile, ...(body as object) } }
  })
  const { rerender } = render(page(profile))
  return {
    changes: () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
    elsewhere: (next: Profile) => rerender(page(next)),
    typing: userEvent.setup(),
  }
}

async function offer(name: RegExp) {
  const button = await screen.findByRole('button', { name })
  const row = button.closest('li')
  if (!row) throw new Error('no row')
  return { button, row: within(row) }
}

const save = (name: string) => screen.getByRole('button', { name })

test('each part saves what was changed, as the database keeps it', async () => {
  const { changes, typing } = open()
  await typing.type(screen.getByLabelText('Codice ATECO'), '741201')
  await typing.click(save('Salva l’attività'))
  await waitFor(() => expect(changes()).toEqual([{ ateco: '74.12.01' }]))
  await typing.type(screen.getByLabelText('IBAN'), 'it60 x054 2811 1010 0000 0123 456')
  await typing.click(save('Salva i pagamenti'))
  await waitFor(() => expect(changes()[1]).toEqual({ iban: IBAN }))
  await waitFor(() =>
    expect(screen.getByLabelText('IBAN')).toHaveProperty('value', 'IT60 X054 2811 1010 0000 0123 456'),
  )
  await typing.type(screen.getByLabelText('Comune'), 'Bologna')
  await typing.type(screen.getByLabelText('Provincia'), 'bo')
  await typing.type(screen.getByLabelText('Telefono dell’attività'), '051 123456')
  await typing.click(save('Salva i dati fiscali'))
  const address = { city: 'Bologna', province: 'BO' }
  await waitFor(() => expect(changes()[2]).toEqual({ address, business_phone: '+39051123456' }))
})

test.each([
  ['Codice ATECO', '74', 'Salva l’attività', /sei cifre/],
  ['Partita IVA', '12345678901', 'Salva i dati fiscali', /Partita IVA non valida/],
  ['CAP', '401', 'Salva i dati fiscali', /Il CAP ha 5 cifre/],
  ['PEC', 'studio', 'Salva i dati fiscali', /PEC non valida/],
  ['Codice destinatario SdI', 'ABC', 'Salva i dati fiscali', /Il codice ha 7 caratteri/],
  ['Telefono dell’attività', '12', 'Salva i dati fiscali', /Numero non valido/],
  ['IBAN', 'IT60X0542811101000000123457', 'Salva i pagamenti', /IBAN non valido/],
])('a wrong %s is said under its field and nothing is lost', async (label, typed, button, message) => {
  const { changes, typing } = open()
  const field = screen.getByLabelText(label)
  await typing.type(field, typed)
  await typing.click(save(button))
  expect(await screen.findByText(message)).toBeDefined()
  expect(field).toHaveProperty('value', typed)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(changes()).toEqual([])
})

test('what another tab has written stays, and so does what is being typed', async () => {
  const known = makeProfile({ iban: IBAN, account_holder: 'Giulia' })
  const { changes, elsewhere, typing } = open({ profile: known })
  const holder = screen.getByLabelText('Intestatario')
  await typing.clear(holder)
  await typing.type(holder, 'Ferri snc')
  elsewhere({ ...known, iban: 'DE89370400440532013000' })
  expect(holder).toHaveProperty('value', 'Ferri snc')
  expect(screen.getByDisplayValue('DE89 3704 0044 0532 0130 00')).toBeDefined()
  await typing.click(save('Salva i pagamenti'))
  await waitFor(() => expect(changes()).toEqual([{ account_holder: 'Ferri snc' }]))
})

test('a save that fails keeps what was typed and says so, at the field where the server names it', async () => {
  const refuse = { code: '23514', message: 'new row violates check constraint "iban_is_one"', details: '', hint: '' }
  const { typing } = open({ refuse })
  const field = screen.getByLabelText('IBAN')
  await typing.type(field, IBAN)
  await typing.click(save('Salva i pagamenti'))
  expect(await screen.findByText('Questo valore non va bene: controllalo')).toBeDefined()
  expect(field).toHaveProperty('value', IBAN)
})

test('invoices propose values with their source; they are taken by hand and saved by hand', async () => {
  const address = { street: 'Via Po 3', postal_code: '40121', city: 'Bologna', province: 'BO' }
  const { changes, typing } = open({
    suggestions: [
      { ...source, field: 'iban', value: IBAN },
      { ...source, field: 'address', value: address },
      { ...source, field: 'pec', value: 'studio@pec.example', sender: 'Aruba S.p.A.' },
    ],
  })
  const account = await offer(/^Usa IT60/)
  expect(account.row.getByRole('link', { name: 'dalla fattura 12/2026 del 1 marzo 2026' })).toBeDefined()
  const pec = await offer(/^Usa studio@pec/)
  expect(pec.row.getByText(/dalla fattura 12\/2026 di Aruba S\.p\.A\./)).toBeDefined()
  expect(screen.getByLabelText('IBAN')).toHaveProperty('value', '')

  await typing.click(account.button)
  await waitFor(() =>
    expect(screen.getByLabelText('IBAN')).toHaveProperty('value', 'IT60 X054 2811 1010 0000 0123 456'),
  )
  expect(screen.queryByRole('button', { name: /^Usa IT60/ })).toBeNull()
  expect(changes()).toEqual([])
  await typing.click((await offer(/^Usa Via Po 3, 40121 Bologna \(BO\)/)).button)
  await waitFor(() => expect(screen.getByLabelText('Comune')).toHaveProperty('value', 'Bologna'))
  await typing.click(save('Salva i dati fiscali'))
  await waitFor(() => expect(changes()).toEqual([{ address }]))
})
