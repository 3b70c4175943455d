import type { User } from '@supabase/supabase-js'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, type AuthState, guest } from '@/data/auth-context'
import ResetPasswordPage from '@/features/auth/reset-password-page'
import { paths } from '@/paths'

const member: AuthState = { ...guest, user: { id: 'user-1', email: 'giulia@socio.example' } as User, level: 'aal1' }

const open = (state: AuthState, hash = '') =>
  render(
    <AuthContext value={state}>
      <MemoryRouter initialEntries={[`${paths.resetPassword}${hash}`]}>
        <ResetPasswordPage />
      </MemoryRouter>
    </AuthContext>,
  )

test.each([
  ['a guest', guest, 'Richiedi un nuovo link', paths.forgotPassword],
  ['who is signed in', member, 'Cambia password', paths.settingsSecurity],
])('after a dead link %s goes on from where they are', (_who, state, name, path) => {
  open(state, '#error=access_denied&error_code=otp_expired')
  expect(screen.getByText('Il link o il codice è scaduto oppure è già stato usato.')).toBeDefined()
  expect(screen.getByRole('link', { name }).getAttribute('href')).toBe(path)
})

test('a link of another account changes nobody’s password', () => {
  open(member, '#error_code=other_session')
  expect(screen.getByText(/Questo link è di un altro account/)).toBeDefined()
  expect(screen.queryByLabelText('Nuova password')).toBeNull()
})

test('the password manager is told whose password it is', () => {
  const { container } = open(member)
  expect(container.querySelector('[autocomplete=username]')).toHaveProperty('value', 'giulia@socio.example')
})
