import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'

import ForgotPasswordPage from '@/features/auth/forgot-password-page'
import LoginPage from '@/features/auth/login-page'
import { paths } from '@/paths'

import { answerWith } from '../../../test/network'

const isDisabled = (name: string) => screen.getByRole('button', { name }).matches(':disabled')

const never = () => new Promise<never>(() => undefined)

afterEach(() => void Reflect.deleteProperty(navigator, 'credentials'))

/** A server that offers a passkey, and then says no more. */
async function open() {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', () => undefined)
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create: never, get: never } })
  answerWith(() => ({ body: { external: {}, passkeys_enabled: true } }))
  const answered = fetch
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) =>
    (input instanceof Request ? input.url : String(input)).includes('/settings') ? answered(input, init) : never(),
  )
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[paths.login]}>
        <Routes>
          <Route path={paths.login} element={<LoginPage />} />
          <Route path={paths.forgotPassword} element={<ForgotPasswordPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await screen.findByRole('button', { name: 'Accedi con una passkey' })
  return userEvent.setup()
}

test('while the password is checked, no other way can be pressed', async () => {
  const user = await open()
  await user.type(screen.getByLabelText('Email'), 'giulia@socio.example')
  await user.type(screen.getByLabelText('Password'), 'Password-1{Enter}')
  await waitFor(() => expect(isDisabled('Accedi')).toBe(true))
  expect(isDisabled('Accedi con una passkey')).toBe(true)
})

test('while a passkey is asked for, the form cannot be sent', async () => {
  const user = await open()
  await user.click(screen.getByRole('button', { name: 'Accedi con una passkey' }))
  await waitFor(() => expect(isDisabled('Accedi con una passkey')).toBe(true))
  expect(isDisabled('Accedi')).toBe(true)
  expect(screen.getByLabelText('Email').matches(':disabled')).toBe(true)
})

test('who forgot the password does not type the address again', async () => {
  const user = await open()
  await user.type(screen.getByLabelText('Email'), 'giulia@socio.example')
  await user.click(screen.getByRole('link', { name: 'Password dimenticata?' }))
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'giulia@socio.example')
})

test('a password that is shown is left as it is typed', async () => {
  const user = await open()
  await user.click(screen.getByRole('button', { name: 'Mostra password' }))
  const field = screen.getByLabelText('Password')
  expect(['autocapitalize', 'autocorrect', 'spellcheck'].map((name) => field.getAttribute(name))).toEqual([
    'none',
    'off',
    'false',
  ])
})
