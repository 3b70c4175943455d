import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import DuplicatesPage from '@/features/crm-duplicates/duplicates-page'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const contact = (id: string, name: string, created_at: string) => ({
  id,
  name,
  created_at,
  type: 'persona',
  first_name: name,
  emails: [],
  phones: [],
  contact_tags: [],
})

test('two that nobody has proposed are merged into the older one', async () => {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('/contacts?'))
      return { body: [contact('new', 'Anna V.', '2026-11-02'), contact('old', 'Anna Verdi', '2026-01-02')] }
    return { body: path.endsWith('/merge_contacts') ? 'merge-1' : [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={[paths.crmMerge('new', 'old')]}>
          <DuplicatesPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  await screen.findByRole('dialog', { name: 'Unisci Anna Verdi' })
  await userEvent.setup().click(screen.getByRole('button', { name: 'Unisci' }))
  await expect
    .poll(() => calls.find(({ path }) => path.endsWith('/merge_contacts'))?.body)
    .toMatchObject({
      _winner: 'old',
      _loser: 'new',
    })
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
