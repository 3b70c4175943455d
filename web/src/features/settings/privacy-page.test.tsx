import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import PrivacyPage from '@/features/settings/privacy-page'
import { readConsent } from '@/lib/consent'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile, member } from '../../../test/profile'

function show(rows: unknown[], limitedSince: string | null = null) {
  storeSession()
  const calls = answerWith(({ method }) => ({ body: method === 'GET' ? rows : null }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...member, profile: makeProfile({ limited_since: limitedSince }) }}>
        <MemoryRouter>
          <PrivacyPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
}

test('each action of an admin is there with its reason', async () => {
  show([
    { id: 1, action: 'payment.replay', reason: 'Pagamento in ritardo', created_at: '2026-11-20T09:00:00Z' },
    { id: 2, action: 'something.new', reason: 'Prova', created_at: '2026-11-19T09:00:00Z' },
  ])
  const [replay, other] = await screen.findAllByText(/Pagamento in ritardo|Prova/)
  expect(replay?.parentElement?.textContent).toContain('Un pagamento è stato elaborato di nuovo')
  expect(other?.parentElement?.textContent).toContain('Intervento sul tuo account')
})

test('without one it says so, and statistics are one switch', async () => {
  show([])
  expect(await screen.findByText(/nessun amministratore è intervenuto/)).toBeDefined()
  const statistics = screen.getByRole('checkbox', { name: 'Statistiche d’uso, da questo browser' })
  await userEvent.click(statistics)
  expect(readConsent()).toBe('accepted')
  await userEvent.click(statistics)
  expect(readConsent()).toBe('rejected')
})

test.each([
  [null, 'Limita', true],
  ['2026-11-20T09:00:00Z', 'Togli il limite', false],
] as const)('limited since %s, the button is «%s»', async (since, button, isLimited) => {
  const calls = show([], since)
  await userEvent.click(screen.getByRole('button', { name: button }))
  expect(calls).toContainEqual({
    method: 'POST',
    path: '/rest/v1/rpc/limit_processing',
    body: { _is_limited: isLimited },
  })
})
