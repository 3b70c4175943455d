import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { User } from '@supabase/supabase-js'
import { MemoryRouter, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { AuthContext, type AuthState } from '@/data/auth-context'
import ContactPage from '@/features/crm/contact-page'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile } from '../../../test/profile'

const state: AuthState = {
  user: { id: 'user-1', email: 'giulia@socio.example' } as User,
  halfway: null,
  level: 'aal1',
  isRecovered: false,
  profile: makeProfile(),
  isLoading: false,
  profileError: null,
  reloadProfile: () => undefined,
}
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

function open(gone: Partial<typeof anna> = {}) {
  storeSession()
  answerWith(({ path }) => {
    if (path.includes('/save_contact'))
      return { status: 404, body: { code: 'PT404', message: 'the contact is merged or in the trash' } }
    if (path.includes('/contact_list?select=company_name'))
      return { body: { company_name: null, tags: [], consents: {} } }
    return { body: path.includes('/contacts?select=*') ? { ...anna, ...gone } : [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={state}>
        <MemoryRouter initialEntries={[paths.crmContact('anna')]}>
          <Routes>
            <Route path={paths.crmContact(':contactId')} element={<ContactPage />} />
          </Routes>
        </MemoryRouter>
      </AuthContext>
      <Toaster />
    </QueryClientProvider>,
  )
  return userEvent.setup()
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
