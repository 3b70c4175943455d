/** Signing in with what a mail or an SMS says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { works } from './methods.js'
import {
  answered,
  code,
  mailsTo,
  newAddress,
  newClient,
  newNumber,
  PASSWORD,
  person,
  refused,
  run,
  smsCode,
  tokenHash,
} from './stack.js'

works('auth.signInWithOtp', () => {
  test('sends a link that signs in, to a new address too', async () => {
    const client = newClient()
    const email = newAddress()
    assert.deepEqual(answered(await client.auth.signInWithOtp({ email })), { user: null, session: null })
    const [mail] = await mailsTo(email)
    assert.equal(answered(await client.auth.verifyOtp({ type: 'email', email, token: code(mail) })).user.email, email)
    answered(await client.auth.signInWithOtp({ email }))
    const again = (await mailsTo(email, 2)).at(-1)
    answered(await client.auth.verifyOtp({ type: 'email', token_hash: tokenHash(again) }))
  })

  test('sends an SMS', async () => {
    const client = newClient()
    const phone = newNumber()
    assert.ok(answered(await client.auth.signInWithOtp({ phone })).messageId)
    const { user } = answered(await client.auth.verifyOtp({ type: 'sms', phone, token: await smsCode(phone) }))
    assert.equal(user.phone, phone)
  })

  test('makes no account when it may not, and does not say so', async () => {
    const email = newAddress()
    answered(await newClient().auth.signInWithOtp({ email, options: { shouldCreateUser: false } }))
    refused(await newClient().auth.verifyOtp({ type: 'email', email, token: '000000' }), 403, 'otp_expired')
  })
})

works('auth.verifyOtp', () => {
  test('confirms a sign-up by link and by code', async () => {
    for (const proof of [
      (mail) => ({ token_hash: tokenHash(mail) }),
      (mail, email) => ({ email, token: code(mail) }),
    ]) {
      const client = newClient()
      const email = newAddress()
      await client.auth.signUp({ email, password: PASSWORD })
      const [mail] = await mailsTo(email)
      const { session, user } = answered(await client.auth.verifyOtp({ type: 'signup', ...proof(mail, email) }))
      assert.equal(user.email, email)
      assert.equal(session.token_type, 'bearer')
    }
  })

  test('refuses a wrong code', async () => {
    const { email } = await person()
    const answer = await newClient().auth.verifyOtp({ type: 'email', email, token: '000000' })
    refused(answer, 403, 'otp_expired')
    assert.equal(answer.error.message, 'Token has expired or is invalid')
  })
})

works('auth.resend', () => {
  test('replaces the link', async () => {
    const client = newClient()
    const email = newAddress()
    await client.auth.signUp({ email, password: PASSWORD })
    answered(await client.auth.resend({ type: 'signup', email }))
    const [older, newer] = (await mailsTo(email, 2)).map(tokenHash)
    refused(await client.auth.verifyOtp({ type: 'signup', token_hash: older }), 403, 'otp_expired')
    answered(await client.auth.verifyOtp({ type: 'signup', token_hash: newer }))
  })

  test('sends the SMS of a sign-up again', async () => {
    const client = newClient()
    const phone = newNumber()
    await client.auth.signUp({ phone, password: PASSWORD })
    answered(await client.auth.resend({ type: 'sms', phone }))
    answered(await client.auth.verifyOtp({ type: 'sms', phone, token: await smsCode(phone, 2) }))
  })

  test('answers an unknown address the same', async () => {
    answered(await newClient().auth.resend({ type: 'signup', email: newAddress() }))
  })

  test('refuses a type that is never sent again', async () => {
    refused(await newClient().auth.resend({ type: 'recovery', email: newAddress() }), 400, 'validation_failed')
  })
})

works('auth.exchangeCodeForSession', () => {
  test('is how a link ends for the client that asked', async () => {
    const client = newClient({ flowType: 'pkce' })
    const email = newAddress()
    await client.auth.signUp({ email, password: PASSWORD })
    const [mail] = await mailsTo(email)
    const link = `${run.url}/auth/v1/verify?token=${tokenHash(mail)}&type=signup`
    const answer = await fetch(link, { redirect: 'manual' })
    const authCode = new URL(answer.headers.get('location')).searchParams.get('code')
    assert.equal(answered(await client.auth.exchangeCodeForSession(authCode)).user.email, email)
  })

  test('refuses an unknown code', async () => {
    const client = newClient({ flowType: 'pkce' })
    await client.auth.resetPasswordForEmail(newAddress())
    refused(await client.auth.exchangeCodeForSession(crypto.randomUUID()), 404, 'flow_state_not_found')
  })
})
