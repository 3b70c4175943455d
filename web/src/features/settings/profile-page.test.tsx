import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { User } from '@supabase/supabase-js'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import type { Profile } from '@/data/profiles'
import ProfilePage from '@/features/settings/profile-page'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile } from '../../../test/profile'

const user = { id: 'user-1', email: 'giulia@socio.example' } as User
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })

const page = (profile: Profile) => (
  <QueryClientProvider client={client}>
    <AuthContext value={{ ...guest, user, level: 'aal1', profile }}>
      <MemoryRouter>
        <ProfilePage />
      </MemoryRouter>
    </AuthContext>
  </QueryClientProvider>
)

/** What the other cards ask for. */
const others = (path: string, account: object | null = null) =>
  path.includes('notification_choices')
    ? { settings: { zone: 'Europe/Rome' } }
    : path.includes('mail_accounts')
      ? account
      : []

test('what another tab has written stays, and so does what is being typed', async () => {
  storeSession()
  const known = makeProfile({ goal: 'Lavorare meno' })
  const elsewhere = { ...known, goal: 'Incassare prima' }
  const calls = answerWith(({ method, path, body }) =>
    method === 'PATCH' ? { body: { ...elsewhere, ...(body as object) } } : { body: others(path) },
  )
  const changes = () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  const { rerender } = render(page(known))
  const typing = userEvent.setup()
  const name = screen.getByLabelText('Nome completo')
  await typing.clear(name)
  await typing.type(name, 'Giulia Neri')
  rerender(page(elsewhere))
  expect(name).toHaveProperty('value', 'Giulia Neri')
  expect(screen.getByDisplayValue('Incassare prima')).toBeDefined()
  const save = screen.getByRole('button', { name: 'Salva' })
  await typing.click(save)
  await waitFor(() => expect(changes()).toEqual([{ full_name: 'Giulia Neri' }]))
  await waitFor(() => expect(save).toHaveProperty('disabled', false))
  // It is the known one from now on.
  rerender(page({ ...elsewhere, full_name: 'Giulia Bianchi' }))
  expect(name).toHaveProperty('value', 'Giulia Bianchi')
  await typing.click(save)
  await waitFor(() => expect(save).toHaveProperty('disabled', false))
  expect(changes()).toHaveLength(1)
})

test('days and hours of work are saved at once, and a week keeps one day', async () => {
  storeSession()
  const known = makeProfile({ work_days: [1, 2] })
  const calls = answerWith(({ method, path, body }) =>
    method === 'PATCH' ? { body: { ...known, ...(body as object) } } : { body: others(path) },
  )
  const changes = () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  const { rerender } = render(page(known))
  const person = userEvent.setup()
  await person.click(screen.getByRole('button', { name: 'sabato' }))
  await waitFor(() => expect(changes()).toEqual([{ work_days: [1, 2, 6] }]))
  rerender(page({ ...known, work_days: [1] }))
  await person.click(screen.getByRole('button', { name: 'lunedì' }))
  const [from, to] = [screen.getByLabelText('Dalle'), screen.getByLabelText('Alle')]
  fireEvent.change(from, { target: { value: '20:00' } })
  fireEvent.blur(from)
  expect(changes()).toHaveLength(1)
  fireEvent.change(to, { target: { value: '17:30' } })
  fireEvent.blur(to)
  await waitFor(() => expect(changes()[1]).toEqual({ work_from: '09:00', work_to: '17:30' }))
})

test('the signature of the mailbox is proposed, changed and taken off', async () => {
  storeSession()
  const account = { id: 'a', user_id: 'user-1', from_address: 'io@studio.example', signature: null }
  const calls = answerWith(({ path }) => ({ body: others(path, account) }))
  render(page(makeProfile({ business_name: 'Studio Ferri', business_phone: '+39051123456' })))
  const person = userEvent.setup()
  await person.click(await screen.findByRole('button', { name: 'Proponi dai miei dati' }))
  expect(screen.getByLabelText('Firma')).toHaveProperty('value', 'Giulia Ferri\nStudio Ferri\n+39051123456')
  await person.click(screen.getByRole('button', { name: 'Salva la firma' }))
  const changes = () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  await waitFor(() => expect(changes()).toEqual([{ signature: 'Giulia Ferri\nStudio Ferri\n+39051123456' }]))
})

test('without a mailbox the signature leads to it', async () => {
  storeSession()
  answerWith(({ path }) => ({ body: others(path) }))
  render(page(makeProfile()))
  expect(await screen.findByRole('link', { name: 'Collega la casella' })).toBeDefined()
})
