import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { AuthContext, type AuthState, guest } from '@/data/auth-context'
import ConsentPage from '@/features/consent/consent-page'
import { forgetReturn, returnPath } from '@/lib/return-path'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const ID = 'Zm9vYmFyYmF6cXV4'
const way = `${paths.oauthConsent}?authorization_id=${ID}`
const details = {
  authorization_id: ID,
  redirect_uri: 'https://agenda.example/callback',
  client: { id: 'client-1', name: 'Agenda', uri: '', logo_uri: '' },
  user: { id: 'user-1', email: 'giulia@socio.example' },
  scope: 'openid email',
}
const assign = vi.fn<(address: string) => void>()

beforeEach(() => {
  storeSession()
  vi.stubGlobal('location', { ...window.location, assign })
})
afterEach(() => {
  forgetReturn()
  assign.mockReset()
})

function open(path: string, state: AuthState = member) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={state}>
        <MemoryRouter initialEntries={[path]}>
          <Routes>
            <Route path={paths.oauthConsent} element={<ConsentPage />} />
            <Route path={paths.login} element="login" />
            <Route path={paths.secondFactor} element="second factor" />
          </Routes>
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

test('it says who asks for what, as whom, and where it leads', async () => {
  answerWith(() => ({ body: details }))
  open(way)
  expect(await screen.findByRole('heading', { level: 1 })).toHaveProperty(
    'textContent',
    'Agenda chiede di usare il tuo account',
  )
  expect(screen.getByText('giulia@socio.example')).toBeDefined()
  expect(screen.getByText('agenda.example')).toBeDefined()
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Riconoscerti quando torni',
    'Vedere il tuo indirizzo email',
    'Leggere e modificare i tuoi dati in Socio a nome tuo',
  ])
})

test.each([
  ['Consenti', 'approve'],
  ['Rifiuta', 'deny'],
])('%s answers %s and goes back to the application', async (button, action) => {
  const back = 'https://agenda.example/callback?state=s'
  const calls = answerWith(({ method }) => ({ body: method === 'POST' ? { redirect_url: back } : details }))
  open(way)
  await userEvent.click(await screen.findByRole('button', { name: button }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith(back))
  expect(calls.at(-1)).toEqual({
    method: 'POST',
    path: `/auth/v1/oauth/authorizations/${ID}/consent`,
    body: { action },
  })
})

test.each([
  ['http://127.0.0.1:8123/back', 'http://127.0.0.1:8123'],
  ['agenda://back', 'agenda://back'],
])('what is no site is named in full: %s', async (redirect_uri, place) => {
  answerWith(() => ({ body: { ...details, redirect_uri } }))
  open(way)
  expect(await screen.findByText(place)).toBeDefined()
})

test('what was allowed before goes back at once', async () => {
  answerWith(() => ({ body: { redirect_url: 'https://agenda.example/callback?code=c' } }))
  open(way)
  await waitFor(() => expect(assign).toHaveBeenCalledWith('https://agenda.example/callback?code=c'))
  expect(screen.queryByRole('button')).toBeNull()
})

test('a script is not followed', async () => {
  const calls = answerWith(() => ({ body: { redirect_url: 'javascript:alert(1)' } }))
  open(way)
  await waitFor(() => expect(calls).toHaveLength(1))
  expect(assign).not.toHaveBeenCalled()
})

test('an expired request says what to do', async () => {
  answerWith(() => ({
    status: 404,
    body: { code: 'oauth_authorization_not_found', message: 'authorization not found' },
  }))
  open(way)
  expect(await screen.findByText('Richiesta scaduta')).toBeDefined()
})

test.each(['', '?authorization_id=', '?authorization_id=..%2F..%2F..%2Fuser%2Fx'])(
  'an address without a request asks the server nothing: %s',
  (query) => {
    const calls = answerWith(() => ({ body: details }))
    open(`${paths.oauthConsent}${query}`)
    expect(screen.getByText('Richiesta non valida')).toBeDefined()
    expect(calls).toEqual([])
  },
)

test.each([
  ['a guest', guest, 'login'],
  ['somebody without their second factor', { ...guest, halfway: member.user }, 'second factor'],
])('%s signs in first, and comes back', async (_who, state, page) => {
  open(way, state)
  expect(await screen.findByText(page)).toBeDefined()
  expect(returnPath(paths.landing)).toBe(way)
})
