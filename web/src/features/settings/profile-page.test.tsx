import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
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

test('what another tab has written stays, and so does what is being typed', async () => {
  storeSession()
  const known = makeProfile({ goal: 'Lavorare meno' })
  const elsewhere = { ...known, goal: 'Incassare prima' }
  const calls = answerWith(({ method, body }) =>
    method === 'PATCH' ? { body: { ...elsewhere, ...(body as object) } } : { body: [] },
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
