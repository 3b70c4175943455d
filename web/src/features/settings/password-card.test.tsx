import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { PasswordCard } from '@/features/settings/password-card'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

type Proof = 'nonce' | 'current_password'

/** A server that asks for `proofs`, one after the other, before it takes a new password. */
async function change(proofs: Partial<Record<Proof, string>>, canMail = true) {
  storeSession()
  const refusals: Record<Proof, string> = {
    current_password: 'current_password_required',
    nonce: 'reauthentication_needed',
  }
  const calls = answerWith(({ method, body }) => {
    if (method !== 'PUT') {
      return canMail ? { body: {} } : { status: 429, body: { code: 'over_email_send_rate_limit', message: 'wait' } }
    }
    const given = body as Partial<Record<Proof, string>>
    for (const proof of ['current_password', 'nonce'] as const) {
      if (!(proof in proofs) || given[proof] === proofs[proof]) continue
      const code = given[proof] && proof === 'nonce' ? 'reauthentication_not_valid' : refusals[proof]
      return { status: 400, body: { code, message: code } }
    }
    return { body: { id: 'user-1' } }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={member}>
        <PasswordCard />
      </AuthContext>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Nuova password'), 'Nuova-Password-2')
  await user.type(screen.getByLabelText('Conferma password'), 'Nuova-Password-2')
  const submit = () => user.click(screen.getByRole('button', { name: 'Cambia password' }))
  await submit()
  return { user, calls, submit }
}

const asked = (calls: Call[]) => calls.map(({ method, path }) => `${method} ${path}`)

test('a sign-in long ago is proved again by a mailed code, also as it was copied', async () => {
  const { user, calls, submit } = await change({ nonce: '123456' })
  await user.type(await screen.findByLabelText('Codice di conferma'), '123 456')
  expect(await screen.findByText('È nell’email che ti abbiamo appena mandato.')).toBeDefined()
  expect(asked(calls)).toEqual(['PUT /auth/v1/user', 'GET /auth/v1/reauthenticate'])
  await submit()
  await vi.waitFor(() => expect(screen.queryByLabelText('Codice di conferma')).toBeNull())
  expect(screen.getByLabelText<HTMLInputElement>('Nuova password')).toHaveProperty('value', '')
  expect(calls.find(({ body }) => body && 'nonce' in (body as object))?.body).toMatchObject({
    password: 'Nuova-Password-2',
    nonce: '123456',
  })
})

test('a server that wants the current password gets it, and only then', async () => {
  const { user, calls, submit } = await change({ current_password: 'giusta' })
  expect(calls[0]?.body).not.toHaveProperty('current_password')
  await user.type(await screen.findByLabelText('Password attuale'), 'giusta')
  await submit()
  await vi.waitFor(() => expect(calls.at(-1)?.body).toMatchObject({ current_password: 'giusta' }))
  expect(calls.at(-1)?.body).not.toHaveProperty('nonce')
})

test('a server that wants both gets both, for one mail', async () => {
  const { user, calls, submit } = await change({ current_password: 'giusta', nonce: '123456' })
  await user.type(await screen.findByLabelText('Password attuale'), 'giusta')
  await submit()
  await user.type(await screen.findByLabelText('Codice di conferma'), '123456')
  await submit()
  await vi.waitFor(() => expect(screen.queryByLabelText('Codice di conferma')).toBeNull())
  const puts = calls.filter(({ method }) => method === 'PUT')
  expect(puts.at(-1)?.body).toMatchObject({ current_password: 'giusta', nonce: '123456' })
  expect(asked(calls).filter((call) => call === 'GET /auth/v1/reauthenticate')).toHaveLength(1)
})

test('a wrong code is said under its field, and one that is none is not sent', async () => {
  const { user, calls, submit } = await change({ nonce: '123456' })
  await user.type(await screen.findByLabelText('Codice di conferma'), '0000')
  await submit()
  expect(await screen.findByText('Il codice ha sei cifre')).toBeDefined()
  expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  await user.type(screen.getByLabelText('Codice di conferma'), '00')
  await submit()
  expect(await screen.findByText('Il codice di conferma è sbagliato o scaduto.')).toBeDefined()
  expect(document.activeElement).toBe(screen.getByLabelText('Codice di conferma'))
})

test('a mail that did not leave is not announced, and can be asked for again', async () => {
  const { user, calls } = await change({ nonce: '123456' }, false)
  await screen.findByLabelText('Codice di conferma')
  expect(screen.queryByText('È nell’email che ti abbiamo appena mandato.')).toBeNull()
  await user.click(await screen.findByRole('button', { name: 'Invia di nuovo' }))
  await vi.waitFor(() => expect(asked(calls).filter((call) => call === 'GET /auth/v1/reauthenticate')).toHaveLength(2))
})
