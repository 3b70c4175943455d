import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, test } from 'vitest'

import { CreditPill } from '@/features/layout/credit-pill'
import { NotificationBell } from '@/features/layout/notification-bell'

import { answerWith, storeSession } from '../../../test/network'

beforeEach(() => storeSession())

test.each([
  [1, '1 credito: apri lo store', 'Notifiche, 1 non letta'],
  [2, '2 crediti: apri lo store', 'Notifiche, 2 non lette'],
])('%i is spoken of as Italian does', async (count, pill, bell) => {
  const rows = Array.from({ length: count }, (_, index) => ({ id: String(index), is_read: false }))
  answerWith(({ path }) => ({ body: path.includes('credit_wallets') ? { balance: count } : rows }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <CreditPill userId="user-1" />
        <NotificationBell userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  expect(await screen.findByRole('link', { name: pill })).toBeDefined()
  expect(await screen.findByRole('button', { name: bell })).toBeDefined()
})
