import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { LowCredits } from '@/features/layout/low-credits'
import { endTour } from '@/lib/tour'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'

function Here() {
  return <p>at {useLocation().pathname}</p>
}

type Wallet = { balance: number; threshold?: number }

/** Opens a page of the product for somebody with this wallet; waits until the wallet is known. */
async function open({ balance, threshold = 5 }: Wallet, userId = 'user-1') {
  const calls = answerWith(({ path }) => ({
    body: path.includes('credit_settings') ? { low_threshold: threshold, monthly_cap: null } : { balance },
  }))
  const client = new QueryClient()
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={['/home']}>
        <LowCredits userId={userId} />
        <Here />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await waitFor(() => expect(calls).toHaveLength(2))
  await waitFor(() => expect(client.isFetching()).toBe(0))
  return { user: userEvent.setup(), unmount }
}

beforeEach(() => {
  storeSession()
  endTour()
})

afterEach(() => sessionStorage.clear())

test.each([
  [4, 5, 'Ti restano solo 4 crediti. Ricarica per continuare a usare le funzioni IA.'],
  [1, 5, 'Ti resta solo 1 credito. Ricarica per continuare a usare le funzioni IA.'],
  [0, 5, 'Ti restano solo 0 crediti. Ricarica per continuare a usare le funzioni IA.'],
  [49, 50, 'Ti restano solo 49 crediti. Ricarica per continuare a usare le funzioni IA.'],
])('with %i credits and a threshold of %i it says so', async (balance, threshold, text) => {
  await open({ balance, threshold })
  expect(await screen.findByRole('dialog', { name: 'Crediti Insufficienti' })).toBeDefined()
  expect(screen.getByText(text)).toBeDefined()
})

test.each([
  [5, 5],
  [3, 0],
])('with %i credits and a threshold of %i it stays silent', async (balance, threshold) => {
  await open({ balance, threshold })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('«Più Tardi» closes it for the whole session', async () => {
  const { user, unmount } = await open({ balance: 2 })
  await user.click(await screen.findByRole('button', { name: 'Più Tardi' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  unmount()
  await open({ balance: 1 })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a reload does not open it again, whether it was closed or not', async () => {
  const { unmount } = await open({ balance: 2 })
  await screen.findByRole('dialog')
  unmount()
  await open({ balance: 2 })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the next person of the tab is told as well', async () => {
  const { user, unmount } = await open({ balance: 2 })
  await user.click(await screen.findByRole('button', { name: 'Più Tardi' }))
  unmount()
  await open({ balance: 3 }, 'user-2')
  expect(await screen.findByText(/Ti restano solo 3 crediti/)).toBeDefined()
})

test('«Ricarica Crediti» leads to the prices', async () => {
  const { user } = await open({ balance: 2 })
  await user.click(await screen.findByRole('link', { name: 'Ricarica Crediti' }))
  expect(screen.getByText(`at ${paths.pricing}`)).toBeDefined()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('it waits until the guided tour is over', async () => {
  localStorage.removeItem('tour_completed')
  await open({ balance: 2 })
  expect(screen.queryByRole('dialog')).toBeNull()
})
