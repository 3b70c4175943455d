/** Accounts with an address or a number, and a password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { works } from './methods.js'
import {
  answered,
  code,
  mailsTo,
  needsSession,
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

works('auth.signUp', () => {
  test('answers a user without a session', async () => {
    const email = newAddress()
    const { session, user } = answered(await newClient().auth.signUp({ email, password: PASSWORD }))
    assert.equal(session, null)
    assert.equal(user.email, email)
    assert.equal(user.identities.length, 1)
  })

  test('takes a number, confirmed by SMS', async () => {
    const client = newClient()
    const phone = newNumber()
    assert.equal(answered(await client.auth.signUp({ phone, password: PASSWORD })).session, null)
    const { user } = answered(await client.auth.verifyOtp({ type: 'sms', phone, token: await smsCode(phone) }))
    assert.equal(user.phone, phone)
    answered(await client.auth.signInWithPassword({ phone, password: PASSWORD }))
  })

  test('refuses a weak password with its reasons', async () => {
    const { error } = await newClient().auth.signUp({ email: newAddress(), password: 'corta' })
    assert.equal(error.name, 'AuthWeakPasswordError')
    assert.equal(error.code, 'weak_password')
    assert.deepEqual(error.reasons, ['length', 'characters'])
  })

  test('reveals nothing about a taken address', async () => {
    const { email } = await person()
    const { user } = answered(await newClient().auth.signUp({ email, password: 'Altra-789x' }))
    assert.equal(user.email, email)
  })
})

works('auth.signInWithPassword', () => {
  test('answers a session that reads the own rows', async () => {
    const { client, session } = await person()
    assert.equal(session.user.user_metadata.full_name, 'Giulia Ferri')
    const rows = await client.from('profiles').select('full_name').eq('user_id', session.user.id)
    assert.deepEqual(rows.data, [{ full_name: 'Giulia Ferri' }])
  })

  test('refuses a wrong password and an unknown address alike', async () => {
    const { email } = await person()
    for (const address of [email, newAddress()]) {
      const answer = await newClient().auth.signInWithPassword({ email: address, password: 'Sbagliata-1' })
      refused(answer, 400, 'invalid_credentials')
      assert.equal(answer.error.message, 'Invalid login credentials')
    }
  })

  test('asks for the confirmation first', async () => {
    const email = newAddress()
    const client = newClient()
    await client.auth.signUp({ email, password: PASSWORD })
    refused(await client.auth.signInWithPassword({ email, password: PASSWORD }), 400, 'email_not_confirmed')
  })

  test('opens the demo logins', async () => {
    for (const login of [run.demo_user, run.demo_admin]) answered(await newClient().auth.signInWithPassword(login))
  })
})

works('auth.updateUser', () => {
  test('merges data and changes the password', async () => {
    const { client, email } = await person()
    const { user } = answered(await client.auth.updateUser({ data: { city: 'Torino' } }))
    assert.equal(user.user_metadata.full_name, 'Giulia Ferri')
    assert.equal(user.user_metadata.city, 'Torino')
    answered(await client.auth.updateUser({ password: 'Nuova-456x' }))
    answered(await newClient().auth.signInWithPassword({ email, password: 'Nuova-456x' }))
  })

  test('refuses the same password', async () => {
    const { client } = await person()
    refused(await client.auth.updateUser({ password: PASSWORD }), 422, 'same_password')
  })

  test('changes the address once both have agreed', async () => {
    const { client, email } = await person()
    const changed = newAddress()
    assert.equal(answered(await client.auth.updateUser({ email: changed })).user.new_email, changed)
    const [half] = await mailsTo(email)
    const first = answered(await client.auth.verifyOtp({ type: 'email_change', token_hash: tokenHash(half) }))
    assert.equal(first.session, null)
    const [whole] = await mailsTo(changed)
    const second = answered(await client.auth.verifyOtp({ type: 'email_change', token_hash: tokenHash(whole) }))
    assert.equal(second.user.email, changed)
  })

  test('changes the number, confirmed by SMS', async () => {
    const { client } = await person()
    const phone = newNumber()
    assert.equal(answered(await client.auth.updateUser({ phone })).user.new_phone, phone)
    const changed = answered(await client.auth.verifyOtp({ type: 'phone_change', phone, token: await smsCode(phone) }))
    assert.equal(changed.user.phone, phone)
  })

  test('needs a session', async () => needsSession(await newClient().auth.updateUser({ data: {} })))
})

works('auth.reauthenticate', () => {
  test('sends a code that counts as nonce', async () => {
    const { client, email } = await person()
    answered(await client.auth.reauthenticate())
    const nonce = code((await mailsTo(email)).at(-1))
    answered(await client.auth.updateUser({ password: 'Nuova-456x', nonce }))
  })

  test('needs a session', async () => needsSession(await newClient().auth.reauthenticate()))
})

works('auth.resetPasswordForEmail', () => {
  test('sends a code that signs in once', async () => {
    const { email } = await person()
    const client = newClient()
    answered(await client.auth.resetPasswordForEmail(email, { redirectTo: `${run.url}/reset-password` }))
    const token = code((await mailsTo(email)).at(-1))
    assert.equal(answered(await client.auth.verifyOtp({ type: 'recovery', email, token })).user.email, email)
    refused(await client.auth.verifyOtp({ type: 'recovery', email, token }), 403, 'otp_expired')
  })

  test('answers an unknown address the same', async () => {
    assert.deepEqual(answered(await newClient().auth.resetPasswordForEmail(newAddress())), {})
  })

  test('refuses what is no address', async () => {
    refused(await newClient().auth.resetPasswordForEmail('nessuno'), 400, 'validation_failed')
  })
})

works('auth.signInAnonymously', () => {
  test('makes an account that becomes permanent with an address', async () => {
    const client = newClient()
    const { user } = answered(await client.auth.signInAnonymously({ options: { data: { plan: 'prova' } } }))
    assert.equal(user.is_anonymous, true)
    assert.equal(user.user_metadata.plan, 'prova')
    const email = newAddress()
    answered(await client.auth.updateUser({ email }))
    const [mail] = await mailsTo(email)
    const changed = answered(await client.auth.verifyOtp({ type: 'email_change', token_hash: tokenHash(mail) }))
    assert.deepEqual([changed.user.id, changed.user.is_anonymous], [user.id, false])
  })

  test('may not enrol second factors', async () => {
    const client = newClient()
    answered(await client.auth.signInAnonymously())
    refused(await client.auth.mfa.enroll({ factorType: 'totp' }), 403, 'no_authorization')
  })
})
