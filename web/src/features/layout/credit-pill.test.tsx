import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { CreditPill } from '@/features/layout/credit-pill'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'

test('the balance leads to the store', async () => {
  storeSession()
  answerWith(() => ({ body: { balance: 1200 } }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <CreditPill userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const pill = await screen.findByRole('link', { name: '1.200 crediti: apri lo store' })
  expect(pill.getAttribute('href')).toBe(paths.store)
})
