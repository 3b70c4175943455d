import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { LowCredits } from '@/features/layout/low-credits'
import { endTour } from '@/lib/tour'

import { answerWith, storeSession } from '../../../test/network'

const dialog = vi.hoisted(() => ({ asked: 0 }))

vi.mock('@/features/layout/low-credits-dialog', () => {
  dialog.asked += 1
  throw new Error('Failed to fetch dynamically imported module')
})

test('a dialog that cannot be had leaves the page as it is, and was not shown', async () => {
  storeSession()
  endTour()
  answerWith(({ path }) => ({ body: path.includes('credit_settings') ? { low_threshold: 5 } : { balance: 2 } }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <LowCredits userId="user-1" />
        <p>Qui</p>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await expect.poll(() => dialog.asked).toBe(1)
  expect(screen.getByText('Qui')).toBeDefined()
  expect(sessionStorage.getItem('low_credits_shown')).toBeNull()
})
