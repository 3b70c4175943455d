/**
 * supabase-js against the running stack: each method of the auth client that the product needs.
 * Started beside a stack: `python -m scripts.stack -- node tests/contract/auth.test.js`.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'

const run = JSON.parse(readFileSync(process.env.SOCIO_RUN_JSON, 'utf8'))
const PASSWORD = 'Segreto-123'
const MAIL_TIMEOUT_MS = 20_000

const newAddress = () => `${randomUUID()}@socio.example`

/** A client of its own, as another browser would be. */
function newClient(flowType = 'implicit') {
  const stored = new Map()
  const storage = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  }
  return createClient(run.url, run.publishable_key, { auth: { storage, autoRefreshToken: false, flowType } })
}

/** The texts of the mails to an address, oldest first, once that many have arrived. */
async function mailsTo(address, count = 1) {
  const deadline = Date.now() + MAIL_TIMEOUT_MS
  while (Date.now() < deadline) {
    const { messages } = await (await fetch(`${run.mailbox_url}/api/v1/messages?limit=500`)).json()
    const found = messages.filter((mail) => mail.To.some((to) => to.Address === address))
    if (found.length >= count) {
      const texts = found.map(async ({ ID }) => (await (await fetch(`${run.mailbox_url}/api/v1/message/${ID}`)).json()).Text)
      return (await Promise.all(texts)).reverse()
    }
    await wait(50) // the worker sends when it sends; the mailbox cannot be waited on
  }
  throw new Error(`${count} mails to ${address}`)
}

const tokenHash = (text) => /token_hash=([\w-]+)/.exec(text)[1]
const code = (text) => /codice: (\d{6})/.exec(text)[1]

/** A confirmed account and a client signed in with it. */
async function person() {
  const client = newClient()
  const email = newAddress()
  await client.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: 'Giulia Ferri' } } })
  const [mail] = await mailsTo(email)
  const { data, error } = await client.auth.verifyOtp({ type: 'signup', token_hash: tokenHash(mail) })
  assert.equal(error, null)
  return { client, email, session: data.session }
}

const lives = async (token) => (await newClient().auth.getUser(token)).error === null

function assertError(error, expected) {
  assert.ok(error)
  const { name, status, code: errorCode } = error
  assert.deepEqual({ name, status, code: errorCode }, { name: 'AuthApiError', ...expected })
}

describe('signUp', () => {
  test('answers a user without a session', async () => {
    const email = newAddress()
    const { data, error } = await newClient().auth.signUp({ email, password: PASSWORD })
    assert.equal(error, null)
    assert.equal(data.session, null)
    assert.equal(data.user.email, email)
    assert.equal(data.user.identities.length, 1)
  })

  test('refuses a weak password with its reasons', async () => {
    const { error } = await newClient().auth.signUp({ email: newAddress(), password: 'corta' })
    assert.equal(error.name, 'AuthWeakPasswordError')
    assert.equal(error.code, 'weak_password')
    assert.deepEqual(error.reasons, ['length', 'characters'])
  })

  test('reveals nothing about a taken address', async () => {
    const { email } = await person()
    const { data, error } = await newClient().auth.signUp({ email, password: 'Altra-789x' })
    assert.equal(error, null)
    assert.equal(data.user.email, email)
  })

  test('names the ways in that are switched off', async () => {
    const anonymous = await newClient().auth.signInAnonymously()
    assertError(anonymous.error, { status: 422, code: 'anonymous_provider_disabled' })
    const phone = await newClient().auth.signUp({ phone: '393331234567', password: PASSWORD })
    assertError(phone.error, { status: 422, code: 'phone_provider_disabled' })
  })
})

describe('signInWithPassword', () => {
  test('answers a session that reads the own rows', async () => {
    const { email } = await person()
    const client = newClient()
    const { data, error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
    assert.equal(error, null)
    assert.equal(data.user.user_metadata.full_name, 'Giulia Ferri')
    const rows = await client.from('profiles').select('full_name').eq('user_id', data.user.id)
    assert.deepEqual(rows.data, [{ full_name: 'Giulia Ferri' }])
  })

  test('refuses a wrong password and an unknown address alike', async () => {
    const { email } = await person()
    for (const address of [email, newAddress()]) {
      const { error } = await newClient().auth.signInWithPassword({ email: address, password: 'Sbagliata-1' })
      assertError(error, { status: 400, code: 'invalid_credentials' })
      assert.equal(error.message, 'Invalid login credentials')
    }
  })

  test('asks for the confirmation first', async () => {
    const email = newAddress()
    const client = newClient()
    await client.auth.signUp({ email, password: PASSWORD })
    const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
    assertError(error, { status: 400, code: 'email_not_confirmed' })
  })

  test('opens the demo logins', async () => {
    for (const login of [run.demo_user, run.demo_admin]) {
      const { error } = await newClient().auth.signInWithPassword(login)
      assert.equal(error, null)
    }
  })
})

describe('getUser and getClaims', () => {
  test('know the caller', async () => {
    const { client, email } = await person()
    assert.equal((await client.auth.getUser()).data.user.email, email)
    const { data, error } = await client.auth.getClaims()
    assert.equal(error, null)
    assert.equal(data.claims.email, email)
    assert.equal(data.header.alg, 'RS256')
  })

  test('refuse a forged token', async () => {
    const { error } = await newClient().auth.getUser('eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.')
    assertError(error, { status: 403, code: 'bad_jwt' })
  })
})

describe('updateUser', () => {
  test('merges data and changes the password', async () => {
    const { client, email } = await person()
    const { data } = await client.auth.updateUser({ data: { city: 'Torino' } })
    assert.equal(data.user.user_metadata.full_name, 'Giulia Ferri')
    assert.equal(data.user.user_metadata.city, 'Torino')
    assert.equal((await client.auth.updateUser({ password: 'Nuova-456x' })).error, null)
    const { error } = await newClient().auth.signInWithPassword({ email, password: 'Nuova-456x' })
    assert.equal(error, null)
  })

  test('refuses the same password', async () => {
    const { client } = await person()
    const { error } = await client.auth.updateUser({ password: PASSWORD })
    assertError(error, { status: 422, code: 'same_password' })
  })

  test('changes the address once both have agreed', async () => {
    const { client, email } = await person()
    const changed = newAddress()
    assert.equal((await client.auth.updateUser({ email: changed })).data.user.new_email, changed)
    const [, half] = await mailsTo(email, 2)
    const first = await client.auth.verifyOtp({ type: 'email_change', token_hash: tokenHash(half) })
    assert.equal(first.error, null)
    assert.equal(first.data.session, null)
    const [whole] = await mailsTo(changed)
    const second = await client.auth.verifyOtp({ type: 'email_change', token_hash: tokenHash(whole) })
    assert.equal(second.data.user.email, changed)
  })
})

describe('refreshSession and setSession', () => {
  test('rotate, and give the active token to a late parent', async () => {
    const { client, session } = await person()
    const after = (await client.auth.refreshSession()).data.session
    assert.notEqual(after.refresh_token, session.refresh_token)
    const late = await newClient().auth.refreshSession({ refresh_token: session.refresh_token })
    assert.equal(late.data.session.refresh_token, after.refresh_token)
    const restored = await newClient().auth.setSession(after)
    assert.equal(restored.error, null)
    assert.equal(restored.data.user.id, session.user.id)
  })

  test('give twenty tabs the same session', async () => {
    const { session } = await person()
    const tabs = Array.from({ length: 20 }, () =>
      newClient().auth.refreshSession({ refresh_token: session.refresh_token }),
    )
    const answers = await Promise.all(tabs)
    assert.ok(answers.every(({ error }) => error === null))
    assert.equal(new Set(answers.map(({ data }) => data.session.refresh_token)).size, 1)
  })

  test('refuse an unknown token', async () => {
    const { error } = await newClient().auth.refreshSession({ refresh_token: 'abcdefghijkl' })
    assertError(error, { status: 400, code: 'refresh_token_not_found' })
  })
})

describe('signOut', () => {
  for (const [scope, ownLives, otherLives] of [
    ['global', false, false],
    ['local', false, true],
    ['others', true, false],
  ]) {
    test(scope, async () => {
      const { client, email, session } = await person()
      const { data } = await newClient().auth.signInWithPassword({ email, password: PASSWORD })
      assert.equal((await client.auth.signOut({ scope })).error, null)
      assert.equal(await lives(session.access_token), ownLives)
      assert.equal(await lives(data.session.access_token), otherLives)
    })
  }
})

describe('resetPasswordForEmail, verifyOtp and resend', () => {
  test('a code signs in once', async () => {
    const { email } = await person()
    const client = newClient()
    const sent = await client.auth.resetPasswordForEmail(email, { redirectTo: `${run.url}/reset-password` })
    assert.equal(sent.error, null)
    const [, mail] = await mailsTo(email, 2)
    const { data } = await client.auth.verifyOtp({ type: 'recovery', email, token: code(mail) })
    assert.equal(data.user.email, email)
    const again = await client.auth.verifyOtp({ type: 'recovery', email, token: code(mail) })
    assertError(again.error, { status: 403, code: 'otp_expired' })
  })

  test('an unknown address gets the same answer', async () => {
    assert.equal((await newClient().auth.resetPasswordForEmail(newAddress())).error, null)
    assert.equal((await newClient().auth.resend({ type: 'signup', email: newAddress() })).error, null)
  })

  test('resend replaces the link', async () => {
    const client = newClient()
    const email = newAddress()
    await client.auth.signUp({ email, password: PASSWORD })
    assert.equal((await client.auth.resend({ type: 'signup', email })).error, null)
    const [older, newer] = (await mailsTo(email, 2)).map(tokenHash)
    const replaced = await client.auth.verifyOtp({ type: 'signup', token_hash: older })
    assertError(replaced.error, { status: 403, code: 'otp_expired' })
    assert.equal((await client.auth.verifyOtp({ type: 'signup', token_hash: newer })).error, null)
  })

  test('a PKCE link ends in a code for the client that asked', async () => {
    const client = newClient('pkce')
    const email = newAddress()
    await client.auth.signUp({ email, password: PASSWORD })
    const [mail] = await mailsTo(email)
    const link = `${run.url}/auth/v1/verify?token=${tokenHash(mail)}&type=signup`
    const answer = await fetch(link, { redirect: 'manual' })
    const authCode = new URL(answer.headers.get('location')).searchParams.get('code')
    const { data, error } = await client.auth.exchangeCodeForSession(authCode)
    assert.equal(error, null)
    assert.equal(data.user.email, email)
  })
})
