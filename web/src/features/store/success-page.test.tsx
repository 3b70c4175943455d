import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { AuthContext, type AuthState, guest } from '@/data/auth-context'
import SuccessPage from '@/features/store/success-page'
import { forgetReturn, rememberReturn, returnPath } from '@/lib/return-path'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'

const way = `${paths.storeSuccess}?session_id=cs_1`
const member = { ...guest, user: { id: 'user-1' } } as AuthState

function page(state: AuthState) {
  return (
    <QueryClientProvider client={client}>
      <AuthContext value={state}>
        <MemoryRouter initialEntries={[way]}>
          <Routes>
            <Route path={paths.storeSuccess} element={<SuccessPage />} />
            <Route path={paths.login} element="login" />
          </Routes>
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>
  )
}

let client: QueryClient
beforeEach(() => {
  client = new QueryClient()
  storeSession()
  answerWith(() => ({ body: { state: 'fulfilled', credits: 100 } }))
})
afterEach(forgetReturn)

test('whose session ended while they paid signs in, and comes back', async () => {
  const { rerender } = render(page({ ...guest, isLoading: true }))
  rerender(page(guest))
  expect(await screen.findByText('login')).toBeDefined()
  expect(returnPath(paths.landing)).toBe(way)
})

test('the outcome is the end of the way back', async () => {
  rememberReturn(way)
  render(page(member))
  expect(await screen.findByText('Accreditati 100 crediti')).toBeDefined()
  expect(returnPath(paths.landing)).toBe(paths.landing)
})

test('whoever logs out here sends the next one nowhere', async () => {
  const { rerender } = render(page(member))
  await screen.findByText('Accreditati 100 crediti')
  rerender(page(guest))
  expect(await screen.findByText('login')).toBeDefined()
  expect(returnPath(paths.landing)).toBe(paths.landing)
})

test.each([
  ['submitted', 'Pagamento in corso'],
  ['disputed', 'Pagamento contestato'],
])('what is %s is not told as something else', async (state, title) => {
  answerWith(() => ({ body: { state, credits: 100 } }))
  render(page(member))
  expect(await screen.findByRole('heading', { name: title })).toBeDefined()
})
