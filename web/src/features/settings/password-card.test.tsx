import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { User } from '@supabase/supabase-js'
import { expect, test, vi } from 'vitest'

import { AuthContext, type AuthState } from '@/data/auth-context'
import { PasswordCard } from '@/features/settings/password-card'

import { answerWith, type Call, storeSession } from '../../../test/network'
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

/** A server that asks for `proof` before it takes a new password. */
async function change(proof: 'nonce' | 'current_password', refusal: string) {
  storeSession()
  const calls = answerWith(({ method, body }) => {
    if (method !== 'PUT' || (body as Record<string, string>)[proof] === 'giusto') return { body: { id: 'user-1' } }
    return { status: 400, body: { code: refusal, message: refusal } }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={state}>
        <PasswordCard />
      </AuthContext>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Nuova password'), 'Nuova-Password-2')
  await user.type(screen.getByLabelText('Conferma password'), 'Nuova-Password-2')
  await user.click(screen.getByRole('button', { name: 'Cambia password' }))
  return { user, calls }
}

const asked = (calls: Call[]) => calls.map(({ method, path }) => `${method} ${path}`)

test('a sign-in long ago is proved again by a mailed code', async () => {
  const { user, calls } = await change('nonce', 'reauthentication_needed')
  await user.type(await screen.findByLabelText('Codice di conferma'), 'giusto')
  await vi.waitFor(() => expect(asked(calls)).toEqual(['PUT /auth/v1/user', 'GET /auth/v1/reauthenticate']))
  await user.click(screen.getByRole('button', { name: 'Cambia password' }))
  expect(await screen.findByLabelText<HTMLInputElement>('Nuova password')).toHaveProperty('value', '')
  expect(calls.at(-1)?.body).toMatchObject({ password: 'Nuova-Password-2', nonce: 'giusto' })
  expect(screen.queryByLabelText('Codice di conferma')).toBeNull()
})

test('a server that wants the current password gets it, and only then', async () => {
  const { user, calls } = await change('current_password', 'current_password_required')
  expect(calls[0]?.body).not.toHaveProperty('current_password')
  await user.type(await screen.findByLabelText('Password attuale'), 'giusto')
  await user.click(screen.getByRole('button', { name: 'Cambia password' }))
  await vi.waitFor(() => expect(calls.at(-1)?.body).toMatchObject({ current_password: 'giusto' }))
})

test('a wrong code is said under its field', async () => {
  const { user } = await change('nonce', 'reauthentication_not_valid')
  await user.type(await screen.findByLabelText('Codice di conferma'), '000000')
  await user.click(screen.getByRole('button', { name: 'Cambia password' }))
  expect(await screen.findByText('Il codice di conferma è sbagliato o scaduto.')).toBeDefined()
})
