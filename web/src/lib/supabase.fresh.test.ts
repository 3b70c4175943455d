/** What an address may do to the session of this browser, when the client starts at it. */
import { AuthClient } from '@supabase/supabase-js'
import { afterEach, expect, test, vi } from 'vitest'

import { answerWith, makeSession, storeSession } from '../../test/network'

const answer = (userId: string) =>
  `access_token=${makeSession(userId).access_token}&refresh_token=new&expires_in=3600&token_type=bearer&type=magiclink`

/** The stored session after a fresh start at `path`. */
async function startAt(path: string): Promise<{ user: { id: string }; refresh_token: string } | null> {
  answerWith(({ path: asked }) => ({ body: asked.endsWith('/user') ? { id: 'from-the-server' } : null }))
  window.history.replaceState(null, '', path)
  vi.resetModules()
  // Where auth-js counts its clients, to warn of a second one.
  Reflect.set(AuthClient, 'nextInstanceID', {})
  const { supabase } = await import('@/lib/supabase')
  await supabase.auth.initialize()
  await supabase.auth.stopAutoRefresh()
  return JSON.parse(localStorage.getItem('sb-127-auth-token') ?? 'null') as Awaited<ReturnType<typeof startAt>>
}

afterEach(() => window.history.replaceState(null, '', '/'))

test('the tokens of somebody else change no stored session, and leave the address', async () => {
  storeSession('user-1')
  expect(await startAt(`/documents?tab=1#${answer('attacker')}`)).toMatchObject({
    user: { id: 'user-1' },
    refresh_token: expect.stringMatching(/^refresh-/) as string,
  })
  expect(window.location.href).toMatch(/\/documents\?tab=1#error_code=other_session$/)
})

test('nor do tokens that nobody can read', async () => {
  storeSession('user-1')
  expect(await startAt('/documents#access_token=x&refresh_token=y&expires_in=3600&token_type=bearer')).toMatchObject({
    user: { id: 'user-1' },
  })
})

test('where nobody is signed in they are taken: a provider, a link of GET /verify', async () => {
  expect(await startAt(`/login#${answer('user-2')}`)).toMatchObject({ refresh_token: 'new' })
  expect(window.location.hash).toBe('')
})

test('the same person’s are taken: a linked account', async () => {
  storeSession('user-1')
  expect(await startAt(`/settings/security#${answer('user-1')}`)).toMatchObject({ refresh_token: 'new' })
})

test('a failure in the address leaves the session and stays for the page to tell', async () => {
  storeSession('user-1')
  expect(await startAt('/settings/security#error=access_denied&error_code=access_denied')).toMatchObject({
    user: { id: 'user-1' },
  })
  expect(window.location.hash).toContain('access_denied')
})
