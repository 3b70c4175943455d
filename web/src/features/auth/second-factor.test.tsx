import type { Factor, User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import { SecondFactor } from '@/features/auth/second-factor'

import { answerWith, storeSession } from '../../../test/network'

const factor = (id: string, factor_type: Factor['factor_type'], status: Factor['status'] = 'verified'): Factor => ({
  id,
  factor_type,
  status,
  friendly_name: `Fattore ${id}`,
  created_at: '2026-11-20T09:00:00Z',
  updated_at: '2026-11-20T09:00:00Z',
})

function open(factors: Factor[], onVerified = () => undefined) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SecondFactor user={{ id: 'user-1', factors } as User} onVerified={onVerified} />
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

test('the app is asked for first, the others wait under it', async () => {
  const user = open([factor('a', 'recovery_code'), factor('b', 'webauthn'), factor('c', 'totp'), factor('d', 'totp')])
  expect(screen.getByLabelText('Codice di sei cifre')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Fattore d' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Fattore b' }))
  expect(screen.getByRole('button', { name: 'Usa la chiave di sicurezza' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Codice di recupero' }))
  expect(screen.getByLabelText('Codice di recupero')).toBeDefined()
})

test('a factor that was never finished is not asked for', () => {
  open([factor('a', 'totp', 'unverified'), factor('b', 'totp')])
  expect(screen.queryByText('Oppure usa')).toBeNull()
})

test('a kind that this page does not know leaves only the way out', () => {
  open([factor('a', 'phone')])
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(screen.getByRole('button', { name: 'Esci e accedi con un altro account' })).toBeDefined()
})

test('a code goes out as six digits, a wrong one is said under the field', async () => {
  storeSession()
  const calls = answerWith(({ path }) =>
    path.endsWith('/challenge')
      ? { body: { id: 'challenge-1', type: 'totp', expires_at: 1 } }
      : { status: 422, body: { code: 'mfa_verification_failed', message: 'Invalid TOTP code entered' } },
  )
  const onVerified = vi.fn<() => undefined>()
  const user = open([factor('a', 'totp')], onVerified)
  await user.type(screen.getByLabelText('Codice di sei cifre'), '123 456{Enter}')
  expect(await screen.findByText(/Il codice non è giusto/)).toBeDefined()
  expect(calls.map(({ path }) => path)).toEqual(['/auth/v1/factors/a/challenge', '/auth/v1/factors/a/verify'])
  expect(calls[1]?.body).toEqual({ challenge_id: 'challenge-1', code: '123456' })
  expect(onVerified).not.toHaveBeenCalled()
})

test('a recovery code is understood as people copy it', async () => {
  storeSession()
  const calls = answerWith(() => ({ status: 422, body: { code: 'mfa_recovery_codes_locked', message: 'locked' } }))
  const user = open([factor('a', 'recovery_code')])
  await user.type(screen.getByLabelText('Codice di recupero'), 'abcd{Enter}')
  expect(await screen.findByText('Il codice di recupero ha sedici lettere e cifre')).toBeDefined()
  await user.clear(screen.getByLabelText('Codice di recupero'))
  await user.type(screen.getByLabelText('Codice di recupero'), 'ABCD-efgh ijkl-2345{Enter}')
  expect(await screen.findByText(/riprova tra un quarto d’ora/)).toBeDefined()
  expect(calls[0]?.body).toEqual({ code: 'abcdefghijkl2345' })
})
