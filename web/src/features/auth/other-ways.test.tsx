import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { OtherWays } from '@/features/auth/other-ways'

import { answerWith } from '../../../test/network'

function open(answer: { status?: number; body: unknown }) {
  const calls = answerWith(() => answer)
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <OtherWays />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return calls
}

const external = { email: true, phone: true, anonymous_users: true, google: true, github: false, linkedin_oidc: true }

test('the providers that are on are offered by their names', async () => {
  const calls = open({ body: { external, passkeys_enabled: false } })
  expect(await screen.findByRole('button', { name: 'Continua con Google' })).toBeDefined()
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual([
    'Continua con Google',
    'Continua con LinkedIn',
  ])
  expect(calls[0]?.path).toBe('/auth/v1/settings')
})

test('a passkey is offered where the server and the browser can', async () => {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', () => undefined)
  open({ body: { external: {}, passkeys_enabled: true } })
  expect(await screen.findByRole('button', { name: 'Accedi con una passkey' })).toBeDefined()
})

test.each([
  ['nothing else is on', { body: { external: { email: true }, passkeys_enabled: false } }],
  ['the browser cannot', { body: { external: {}, passkeys_enabled: true } }],
  ['the server does not say', { status: 503, body: { code: 'service_unavailable', message: 'away' } }],
])('nothing is shown when %s', async (_when, answer) => {
  const calls = open(answer)
  await waitFor(() => expect(calls).toHaveLength(1))
  expect(screen.queryByRole('button')).toBeNull()
})
