/** How a session rises, and how it ends. */
import type { Session, User } from '@supabase/supabase-js'
import { afterEach, expect, test, vi } from 'vitest'

import { onSessionChange, onSessionClosed, renewSession, type SessionState, stateOf } from '@/data/session'
import { forgetReturn, returnPath } from '@/lib/return-path'

import { answerWith, storeSession } from '../../test/network'

const key = 'sb-127-auth-token'

function session(aal: string | undefined, statuses: string[], methods: string[] = []): Session {
  const amr = methods.map((method) => ({ method, timestamp: 1 }))
  const payload = btoa(JSON.stringify({ sub: 'user-1', aal, amr }))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  const user = { id: 'user-1', factors: statuses.map((status) => ({ status })) } as unknown as User
  return { access_token: `x.${payload.replaceAll('=', '')}.y`, user } as Session
}

test.each([
  ['a password alone', 'aal1', [], 'aal1', false],
  ['an enrolment that was never finished', 'aal1', ['unverified'], 'aal1', false],
  ['a password without the second factor', 'aal1', ['unverified', 'verified'], 'aal1', true],
  ['both', 'aal2', ['verified'], 'aal2', false],
  ['a server without levels', undefined, ['verified'], 'aal1', true],
])('%s: level and what is missing', (_what, aal, statuses, level, needsSecondFactor) => {
  expect(stateOf(session(aal, statuses))).toMatchObject({ level, needsSecondFactor })
})

test.each([
  ['password and app', ['password', 'totp'], false],
  ['password and recovery code', ['password', 'mfa/recovery_code'], true],
  ['a new app after the recovery code', ['password', 'mfa/recovery_code', 'totp'], false],
])('%s: whether the real factor seems lost', (_what, methods, isRecovered) => {
  expect(stateOf(session('aal2', ['verified'], methods)).isRecovered).toBe(isRecovered)
})

test.each([
  ['a session that was ended elsewhere ends here', 400, 'refresh_token_not_found', null],
  ['a limit leaves the session as it is', 429, 'over_request_rate_limit', 'user-1'],
])('%s', async (_what, status, code, left) => {
  storeSession()
  answerWith(({ path }) => (path.includes('/token') ? { status, body: { code, message: code } } : { status: 204 }))
  let seen: SessionState | null | undefined
  const stop = onSessionChange((state) => {
    seen = state
  })
  await renewSession()
  stop()
  expect(seen?.user.id ?? null).toBe(left)
  expect(localStorage.getItem(key) === null).toBe(left === null)
})

test('without a network an expired session counts, at once', () => {
  storeSession()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const seen: (string | undefined)[] = []
  const stop = onSessionChange((state) => seen.push(state?.user.id))
  stop()
  expect(seen).toEqual(['user-1'])
})

afterEach(() => {
  forgetReturn()
  window.history.replaceState(null, '', '/')
})

test('of a session that was ended elsewhere stays only the way back, for the same person, and it is told', async () => {
  storeSession()
  window.history.replaceState(null, '', '/crm?vista=recenti#anna')
  localStorage.setItem('socio.chat.draft.user-1.nuova', '{"text":"Ciao"}')
  answerWith(({ path }) =>
    path.includes('/token') ? { status: 400, body: { code: 'refresh_token_not_found', message: '' } } : { status: 204 },
  )
  let told = 0
  const stop = onSessionClosed(() => {
    told += 1
  })
  await Promise.all([renewSession(), renewSession()])
  stop()
  expect(told).toBeGreaterThan(0)
  expect(localStorage.getItem('socio.chat.draft.user-1.nuova')).toBeNull()
  storeSession('user-2')
  expect(returnPath('/')).toBe('/')
  storeSession('user-1')
  expect(returnPath('/')).toBe('/crm?vista=recenti#anna')
})
