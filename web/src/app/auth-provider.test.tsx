import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'

import { signOut } from '@/api/auth'
import { AuthProvider } from '@/app/auth-provider'
import { useAuth } from '@/data/auth-context'

import { answerWith, storeSession } from '../../test/network'
import { makeProfile } from '../../test/profile'

function Who() {
  const { user, profile, isLoading, profileError } = useAuth()
  if (isLoading) return 'loading'
  if (profileError) return 'no profile'
  return user ? `${profile?.full_name} (${user.email})` : 'nobody'
}

function start() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <Who />
      </AuthProvider>
    </QueryClientProvider>,
  )
  return client
}

test('a stored session brings its user and profile, and signing out leaves nothing of them', async () => {
  storeSession()
  const calls = answerWith(({ path }) => (path.startsWith('/auth') ? { status: 204 } : { body: [makeProfile()] }))
  const client = start()
  expect(screen.getByText('loading')).toBeDefined()
  expect(await screen.findByText('Giulia Ferri (giulia@socio.example)')).toBeDefined()
  expect(calls[0]).toMatchObject({ method: 'GET', path: '/rest/v1/profiles?select=*&user_id=eq.user-1' })

  await act(() => signOut('user-1'))
  await waitFor(() => expect(screen.getByText('nobody')).toBeDefined())
  expect(calls.at(-1)).toMatchObject({ method: 'POST', path: '/auth/v1/logout?scope=local' })
  expect(
    client
      .getQueryCache()
      .getAll()
      .filter((query) => query.state.data),
  ).toEqual([])
  expect(localStorage.getItem('sb-127-auth-token')).toBeNull()
})

test('without a session there is nobody, and nothing is asked', async () => {
  const calls = answerWith(() => ({}))
  start()
  expect(await screen.findByText('nobody')).toBeDefined()
  expect(calls).toEqual([])
})

test('a profile that cannot be read is an error, not an endless wait', async () => {
  storeSession()
  answerWith(() => ({ status: 400, body: { code: 'X', message: 'broken' } }))
  start()
  expect(await screen.findByText('no profile')).toBeDefined()
})
