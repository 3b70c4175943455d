import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, expect, test } from 'vitest'

import { RequireGuest, RequireRole, RequireUser } from '@/app/guards'
import { AuthContext, type AuthState, guest } from '@/data/auth-context'
// Loaded beforehand, so that the guard shows it at once.
import '@/features/deletion/deletion-waits'
import { forgetReturn, rememberPerson, returnPath } from '@/lib/return-path'
import { paths } from '@/paths'

import { expectConsole } from '../../test/console'
import { answerWith, storeSession } from '../../test/network'
import { makeProfile } from '../../test/profile'

const user = { id: 'user-1' } as User
const loading: AuthState = { ...guest, isLoading: true }
const member: AuthState = { ...guest, user, level: 'aal1', profile: makeProfile() }
const proven: AuthState = { ...member, level: 'aal2' }
const halfway: AuthState = { ...guest, halfway: user, level: 'aal1' }
const newcomer: AuthState = { ...member, profile: makeProfile({ onboarding_completed: false }) }
const leaving: AuthState = { ...member, profile: makeProfile({ deletion_due_at: '2026-12-27T09:00:00Z' }) }
const unknownProfile: AuthState = { ...guest, user, profileError: new Error('away') }

const page = (path: string, state: AuthState) => (
  <QueryClientProvider client={new QueryClient()}>
    <AuthContext value={state}>
      <MemoryRouter initialEntries={[path]}>
        <Routes>
          <Route path={paths.landing} element="landing" />
          <Route path={paths.secondFactor} element="second factor" />
          <Route element={<RequireGuest />}>
            <Route path={paths.login} element="login" />
          </Route>
          <Route element={<RequireUser />}>
            <Route path={paths.home} element="home" />
            <Route path={paths.onboarding} element="onboarding" />
            <Route element={<RequireRole role="admin" />}>
              <Route path={paths.admin} element="admin" />
            </Route>
          </Route>
        </Routes>
      </MemoryRouter>
    </AuthContext>
  </QueryClientProvider>
)

const open = (path: string, state: AuthState) => render(page(path, state))

afterEach(() => {
  forgetReturn()
  rememberPerson('')
})

test.each([
  ['a guest', guest, paths.home, 'login'],
  ['a guest', guest, paths.admin, 'login'],
  ['a guest', guest, paths.login, 'login'],
  ['a member', member, paths.home, 'home'],
  ['a member', member, paths.login, 'landing'],
  ['somebody without the second factor', halfway, paths.home, 'second factor'],
  ['somebody without the second factor', halfway, paths.admin, 'second factor'],
  ['somebody without the second factor', halfway, paths.login, 'second factor'],
  ['a newcomer', newcomer, paths.home, 'onboarding'],
  ['a newcomer', newcomer, paths.onboarding, 'onboarding'],
  ['somebody whose profile did not arrive', unknownProfile, paths.home, 'home'],
])('%s (%#) opening %3$s sees %4$s', (_who, state, path, seen) => {
  open(path, state)
  expect(screen.getByText(seen)).toBeDefined()
})

test('whose account waits for its deletion sees that everywhere, but where the data are taken along', async () => {
  open(paths.home, leaving)
  expect(
    await screen.findByRole('heading', { name: 'Il tuo account verrà eliminato il 27 dicembre 2026' }),
  ).toBeDefined()
  expect(screen.getByRole('button', { name: 'Annulla l’eliminazione' })).toBeDefined()
  expect(screen.queryByText('home')).toBeNull()
  expect(screen.getByRole('link', { name: 'Scarica i tuoi dati' })).toHaveProperty('pathname', paths.settingsData)
})

test('whoever opens a page without a session comes back to it after the sign-in, once', () => {
  const way = `${paths.home}?vista=non-lette#oggi`
  open(way, guest).unmount()
  expect(returnPath(paths.landing)).toBe(way)
  open(way, member)
  expect(returnPath(paths.landing)).toBe(paths.landing)
})

test('a logout does not lead back', () => {
  const { rerender } = open(paths.home, member)
  rerender(page(paths.home, guest))
  expect(screen.getByText('login')).toBeDefined()
  expect(returnPath(paths.landing)).toBe(paths.landing)
})

test('«Back» after a logout leads only whoever has left back to their page', () => {
  const { rerender, unmount } = open(paths.home, member)
  rerender(page(paths.home, guest))
  unmount()
  open(paths.home, guest)
  expect(screen.getByText('login')).toBeDefined()
  storeSession('user-2')
  expect(returnPath(paths.landing)).toBe(paths.landing)
  storeSession('user-1')
  expect(returnPath(paths.landing)).toBe(paths.home)
})

test.each([paths.home, paths.login])('nothing is decided at %s while the session is read', (path) => {
  open(path, loading)
  expect(screen.getByRole('status', { name: 'Caricamento' })).toBeDefined()
})

test('an admin with a second factor passes the role check', async () => {
  const calls = answerWith(() => ({ body: true }))
  open(paths.admin, proven)
  expect(screen.getByRole('status', { name: 'Caricamento' })).toBeDefined()
  expect(await screen.findByText('admin')).toBeDefined()
  expect(calls).toEqual([
    { method: 'POST', path: '/rest/v1/rpc/has_role', body: { _user_id: 'user-1', _role: 'admin' } },
  ])
})

test('an admin without a second factor is shown the way to one', async () => {
  answerWith(() => ({ body: true }))
  open(paths.admin, member)
  expect(await screen.findByText('Serve il secondo fattore')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Vai a Sicurezza' }).getAttribute('href')).toBe(paths.settingsSecurity)
})

test('everybody else reads that access is denied', async () => {
  answerWith(() => ({ body: false }))
  open(paths.admin, member)
  expect(await screen.findByText('Accesso Negato')).toBeDefined()
  expect(screen.getByText('Non hai i permessi per accedere a questa pagina.')).toBeDefined()
})

test('a failed role check counts as no, and is logged', async () => {
  answerWith(() => ({ status: 400, body: { code: 'X', message: 'broken' } }))
  await expectConsole('warn', async () => {
    open(paths.admin, member)
    expect(await screen.findByText('Accesso Negato')).toBeDefined()
    expect(console.warn).toHaveBeenCalledWith('Role check failed', expect.anything())
  })
})
