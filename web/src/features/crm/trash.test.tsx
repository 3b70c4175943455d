import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { Trash } from '@/features/crm/trash'

import { answerWith, storeSession } from '../../../test/network'

const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000 + 60_000).toISOString()
const luca = { id: 'luca', name: 'Luca Neri', deleted_at: twoDaysAgo }
const sito = { id: 'sito', name: 'Sito nuovo', deleted_at: twoDaysAgo }

function open(contacts: unknown[], deals: unknown[]) {
  storeSession()
  const calls = answerWith(({ method, path }) =>
    method === 'PATCH' ? { status: 204 } : { body: path.includes('/deals?') ? deals : contacts },
  )
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <Trash userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return () => calls.find(({ method }) => method === 'PATCH')
}

test.each([
  ['contact', [luca], [], 'Ripristina Luca Neri', '/rest/v1/contacts?id=in.(luca)'],
  ['deal', [], [sito], 'Ripristina Sito nuovo', '/rest/v1/deals?id=eq.sito'],
])(
  'a %s that was deleted is there with the days that are left, and comes back',
  async (_what, some, more, name, path) => {
    const change = open(some, more)
    expect(await screen.findByText('ancora 29 giorni')).toBeDefined()
    await userEvent.setup().click(screen.getByRole('button', { name }))
    await expect.poll(change).toMatchObject({ path, body: { deleted_at: null } })
  },
)

test('an empty trash says what comes there', async () => {
  open([], [])
  expect(await screen.findByText('Il cestino è vuoto')).toBeDefined()
})
