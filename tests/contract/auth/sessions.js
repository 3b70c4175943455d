/** What a client does with the session it has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { works } from './methods.js'
import { answered, lives, needsSession, newClient, newStorage, PASSWORD, person, refused } from './stack.js'

const storageKey = 'session'
// Soon enough for the timer (four steps of 30 s), too late for everything else that reads a session (90 s).
const SOON_S = 110

/** A storage as a page left it, with a session that ends in so many seconds. */
async function stored(expiresInS = 3600) {
  const { session } = await person()
  const storage = newStorage()
  storage.setItem(storageKey, JSON.stringify({ ...session, expires_at: Math.round(Date.now() / 1000) + expiresInS }))
  return { session, storage }
}

/** The first event of this name, with its session. */
function event(client, name) {
  return new Promise((resolve) => {
    client.auth.onAuthStateChange((happened, session) => happened === name && resolve(session))
  })
}

works('auth.initialize', () => {
  test('takes up the stored session', async () => {
    const { session, storage } = await stored()
    const client = newClient({ storage, storageKey })
    assert.deepEqual(await client.auth.initialize(), { error: null })
    assert.equal((await event(client, 'INITIAL_SESSION')).access_token, session.access_token)
  })

  test('finds nothing in an empty storage', async () => {
    const client = newClient()
    assert.deepEqual(await client.auth.initialize(), { error: null })
    assert.equal(await event(client, 'INITIAL_SESSION'), null)
  })
})

works('auth.getSession', () => {
  test('answers the stored session, refreshed when it has ended', async () => {
    const { session, storage } = await stored(-1)
    const fresh = answered(await newClient({ storage, storageKey }).auth.getSession()).session
    assert.notEqual(fresh.refresh_token, session.refresh_token)
    assert.equal(await lives(fresh.access_token), true)
  })

  test('answers null to a stranger', async () => {
    assert.deepEqual(answered(await newClient().auth.getSession()), { session: null })
  })
})

works('auth.getUser', () => {
  test('knows the caller', async () => {
    const { client, email } = await person()
    assert.equal(answered(await client.auth.getUser()).user.email, email)
  })

  test('refuses a forged token', async () => {
    refused(await newClient().auth.getUser('eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'), 403, 'bad_jwt')
  })

  test('needs a session', async () => needsSession(await newClient().auth.getUser()))
})

works('auth.getClaims', () => {
  test('verifies with the published keys', async () => {
    const { client, email } = await person()
    const { claims, header } = answered(await client.auth.getClaims())
    assert.equal(claims.email, email)
    assert.equal(header.alg, 'RS256')
  })

  test('refuses another signature', async () => {
    const { client, session } = await person()
    const [head, payload] = session.access_token.split('.')
    const forged = [head, payload, Buffer.alloc(256).toString('base64url')].join('.')
    assert.equal((await client.auth.getClaims(forged)).error.name, 'AuthInvalidJwtError')
  })
})

works('auth.refreshSession', () => {
  test('rotates, and gives the active token to a late parent', async () => {
    const { client, session } = await person()
    const after = answered(await client.auth.refreshSession()).session
    assert.notEqual(after.refresh_token, session.refresh_token)
    const late = answered(await newClient().auth.refreshSession({ refresh_token: session.refresh_token }))
    assert.equal(late.session.refresh_token, after.refresh_token)
  })

  test('gives twenty tabs the same session', async () => {
    const { session } = await person()
    const tabs = Array.from({ length: 20 }, () =>
      newClient().auth.refreshSession({ refresh_token: session.refresh_token }),
    )
    const tokens = (await Promise.all(tabs)).map((answer) => answered(answer).session.refresh_token)
    assert.equal(new Set(tokens).size, 1)
  })

  test('refuses an unknown token', async () => {
    const answer = await newClient().auth.refreshSession({ refresh_token: 'abcdefghijkl' })
    refused(answer, 400, 'refresh_token_not_found')
  })
})

works('auth.setSession', () => {
  test('takes over a session', async () => {
    const { session } = await person()
    assert.equal(answered(await newClient().auth.setSession(session)).user.id, session.user.id)
  })

  test('refuses one that was signed out', async () => {
    const { client, session } = await person()
    answered(await client.auth.signOut())
    needsSession(await newClient().auth.setSession(session))
  })
})

works('auth.signOut', () => {
  for (const [scope, ownLives, otherLives] of [
    ['global', false, false],
    ['local', false, true],
    ['others', true, false],
  ]) {
    test(scope, async () => {
      const { client, email, session } = await person()
      const other = answered(await newClient().auth.signInWithPassword({ email, password: PASSWORD })).session
      assert.equal((await client.auth.signOut({ scope })).error, null)
      assert.equal(await lives(session.access_token), ownLives)
      assert.equal(await lives(other.access_token), otherLives)
    })
  }
})

works('auth.onAuthStateChange', () => {
  test('tells what happens, until it is unsubscribed', async () => {
    const client = newClient()
    const { email } = await person()
    const events = []
    const { subscription } = client.auth.onAuthStateChange((name) => void events.push(name)).data
    await client.auth.signInWithPassword({ email, password: PASSWORD })
    await client.auth.updateUser({ data: { city: 'Torino' } })
    await client.auth.refreshSession()
    await client.auth.signOut()
    assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'TOKEN_REFRESHED', 'SIGNED_OUT'])
    subscription.unsubscribe()
    await client.auth.signInWithPassword({ email, password: PASSWORD })
    assert.equal(events.length, 5)
  })
})

works('auth.startAutoRefresh', () => {
  test('refreshes what ends soon', async () => {
    const { session, storage } = await stored(SOON_S)
    const client = newClient({ storage, storageKey })
    await client.auth.initialize()
    const refreshed = event(client, 'TOKEN_REFRESHED')
    await client.auth.startAutoRefresh()
    assert.notEqual((await refreshed).refresh_token, session.refresh_token)
    await client.auth.stopAutoRefresh()
  })
})

works('auth.stopAutoRefresh', () => {
  test('lets a session be', async (context) => {
    const { session, storage } = await stored(SOON_S)
    const client = newClient({ storage, storageKey })
    await client.auth.initialize()
    context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
    await client.auth.startAutoRefresh()
    await client.auth.stopAutoRefresh()
    context.mock.timers.tick(120_000)
    assert.equal(await lives(session.access_token), true) // a refresh would have been on its way before
    assert.equal(JSON.parse(storage.getItem(storageKey)).refresh_token, session.refresh_token)
  })
})

works('auth.dispose', () => {
  test('forgets its listeners and leaves the session to other pages', async () => {
    const { session, storage } = await stored()
    const client = newClient({ storage, storageKey })
    const events = []
    await client.auth.initialize()
    client.auth.onAuthStateChange((name) => void events.push(name))
    await client.auth.dispose()
    events.length = 0
    await client.auth.signOut({ scope: 'others' })
    assert.deepEqual(events, [])
    assert.equal(JSON.parse(storage.getItem(storageKey)).access_token, session.access_token)
  })
})

works('auth.isThrowOnErrorEnabled', () => {
  test('errors are answered, or thrown if the page prefers that', async () => {
    const wrong = { email: 'nessuno@socio.example', password: PASSWORD }
    const client = newClient({ throwOnError: true })
    assert.ok(!newClient().auth.isThrowOnErrorEnabled() && client.auth.isThrowOnErrorEnabled())
    await assert.rejects(client.auth.signInWithPassword(wrong), { name: 'AuthApiError', code: 'invalid_credentials' })
  })
})
