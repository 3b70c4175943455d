/** Second factors: an authenticator app, SMS, security keys, recovery codes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf, inBrowser, newAuthenticator, relyingParty } from './authenticators.js'
import { works } from './methods.js'
import { answered, needsSession, newClient, newNumber, PASSWORD, person, refused, smsCode } from './stack.js'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const level = async (client) => answered(await client.auth.mfa.getAuthenticatorAssuranceLevel())
const challenged = async (client, factorId) => answered(await client.auth.mfa.challenge({ factorId })).id

/** A person with a verified authenticator app, in a session at aal2; `code` is the next one the app shows. */
async function protectedPerson() {
  const someone = await person()
  const { id: factorId, totp } = answered(await someone.client.auth.mfa.enroll({ factorType: 'totp' }))
  const [first, code] = codesOf(totp.secret)
  answered(await someone.client.auth.mfa.challengeAndVerify({ factorId, code: first }))
  return { ...someone, factorId, code }
}

works('auth.mfa.enroll', () => {
  test('gives an app a secret, its address and a picture of it', async () => {
    const { client } = await person()
    const params = { factorType: 'totp', friendlyName: 'Telefono', issuer: 'Socio' }
    const factor = answered(await client.auth.mfa.enroll(params))
    assert.deepEqual([factor.type, factor.friendly_name], ['totp', 'Telefono'])
    assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg /)
    assert.ok(factor.totp.uri.startsWith('otpauth://totp/Socio:') && factor.totp.uri.includes(factor.totp.secret))
    refused(await client.auth.mfa.enroll(params), 422, 'mfa_factor_name_conflict')
  })

  test('takes a number', async () => {
    const { client } = await person()
    const phone = newNumber()
    assert.equal(answered(await client.auth.mfa.enroll({ factorType: 'phone', phone })).phone, phone)
  })

  test('needs a session', async () => {
    refused(await newClient().auth.mfa.enroll({ factorType: 'totp' }), 403, 'bad_jwt')
  })
})

works('auth.mfa.challenge', () => {
  test('sends the code of a phone', async () => {
    const { client } = await person()
    const phone = newNumber()
    const { id: factorId } = answered(await client.auth.mfa.enroll({ factorType: 'phone', phone }))
    const challenge = answered(await client.auth.mfa.challenge({ factorId, channel: 'sms' }))
    assert.equal(challenge.type, 'phone')
    assert.ok(challenge.expires_at * 1000 > Date.now())
    const code = await smsCode(phone)
    answered(await client.auth.mfa.verify({ factorId, challengeId: challenge.id, code }))
  })

  test('refuses an unknown factor', async () => {
    const { client } = await person()
    refused(await client.auth.mfa.challenge({ factorId: UNKNOWN }), 404, 'mfa_factor_not_found')
  })
})

works('auth.mfa.verify', () => {
  test('raises the session to aal2 and tells the page', async () => {
    const { client } = await person()
    const events = []
    client.auth.onAuthStateChange((name) => void events.push(name))
    const { id: factorId, totp } = answered(await client.auth.mfa.enroll({ factorType: 'totp' }))
    const params = { factorId, challengeId: await challenged(client, factorId), code: codesOf(totp.secret)[0] }
    const verified = answered(await client.auth.mfa.verify(params))
    assert.equal(verified.user.factors[0].status, 'verified')
    assert.equal((await level(client)).currentLevel, 'aal2')
    assert.ok(events.includes('MFA_CHALLENGE_VERIFIED'))
  })

  test('refuses a wrong code', async () => {
    const { client, factorId } = await protectedPerson()
    const params = { factorId, challengeId: await challenged(client, factorId), code: '000000' }
    refused(await client.auth.mfa.verify(params), 422, 'mfa_verification_failed')
  })
})

works('auth.mfa.challengeAndVerify', () => {
  test('is the second step of signing in', async () => {
    const { email, factorId, code } = await protectedPerson()
    const client = newClient()
    answered(await client.auth.signInWithPassword({ email, password: PASSWORD }))
    assert.deepEqual(await level(client), {
      currentLevel: 'aal1',
      nextLevel: 'aal2',
      currentAuthenticationMethods: (await level(client)).currentAuthenticationMethods,
    })
    answered(await client.auth.mfa.challengeAndVerify({ factorId, code }))
    assert.equal((await level(client)).currentLevel, 'aal2')
    refused(await client.auth.mfa.challengeAndVerify({ factorId, code }), 422, 'mfa_verification_failed')
  })
})

works('auth.mfa.unenroll', () => {
  test('removes a factor', async () => {
    const { client, factorId } = await protectedPerson()
    assert.deepEqual(answered(await client.auth.mfa.unenroll({ factorId })), { id: factorId })
    assert.deepEqual(answered(await client.auth.mfa.listFactors()).all, [])
  })

  test('of a verified one needs aal2', async () => {
    const { email, factorId } = await protectedPerson()
    const client = newClient()
    answered(await client.auth.signInWithPassword({ email, password: PASSWORD }))
    refused(await client.auth.mfa.unenroll({ factorId }), 422, 'insufficient_aal')
  })
})

works('auth.mfa.listFactors', () => {
  test('sorts by kind what is verified', async () => {
    const { client, factorId } = await protectedPerson()
    answered(await client.auth.mfa.enroll({ factorType: 'phone', phone: newNumber() }))
    const { all, phone, totp } = answered(await client.auth.mfa.listFactors())
    assert.deepEqual([all.length, phone.length, totp.map(({ id }) => id)], [2, 0, [factorId]])
  })

  test('needs a session', async () => needsSession(await newClient().auth.mfa.listFactors()))
})

works('auth.mfa.getAuthenticatorAssuranceLevel', () => {
  test('says how sure the server is', async () => {
    const { client } = await person()
    const { currentLevel, nextLevel, currentAuthenticationMethods } = await level(client)
    assert.deepEqual([currentLevel, nextLevel], ['aal1', 'aal1'])
    assert.deepEqual(
      currentAuthenticationMethods.map(({ method }) => method),
      ['password'],
    )
    assert.equal((await level(newClient())).currentLevel, null)
  })
})

/** A person with a security key as second factor. */
async function keyHolder() {
  const someone = await person()
  const key = newAuthenticator()
  const params = { friendlyName: 'Chiave', webauthn: relyingParty }
  answered(await inBrowser(key, () => someone.client.auth.mfa.webauthn.register(params)))
  const { webauthn } = answered(await someone.client.auth.mfa.listFactors())
  return { ...someone, key, factorId: webauthn[0].id }
}

works('auth.mfa.webauthn.register', () => {
  test('enrols a security key and raises the session', async () => {
    const { client } = await keyHolder()
    assert.equal((await level(client)).currentLevel, 'aal2')
  })

  test('needs a browser', async () => {
    const { client } = await person()
    const { error } = await client.auth.mfa.webauthn.register({ friendlyName: 'Chiave', webauthn: relyingParty })
    assert.equal(error.name, 'AuthUnknownError')
  })
})

works('auth.mfa.webauthn.authenticate', () => {
  test('is the second step of signing in with a key', async () => {
    const { email, key, factorId } = await keyHolder()
    const client = newClient()
    answered(await client.auth.signInWithPassword({ email, password: PASSWORD }))
    answered(await inBrowser(key, () => client.auth.mfa.webauthn.authenticate({ factorId, webauthn: relyingParty })))
    assert.equal((await level(client)).currentLevel, 'aal2')
  })

  test('refuses the key of somebody else', async () => {
    const { email, factorId } = await keyHolder()
    const { key } = await keyHolder()
    const client = newClient()
    answered(await client.auth.signInWithPassword({ email, password: PASSWORD }))
    const params = { factorId, webauthn: relyingParty }
    const answer = await inBrowser(key, () => client.auth.mfa.webauthn.authenticate(params))
    assert.equal(answer.error.name, 'AuthApiError')
    assert.equal((await level(client)).currentLevel, 'aal1')
  })
})

works('auth.mfa.webauthn.enroll', () => {
  test('begins with an unverified factor', async () => {
    const { client } = await person()
    const factor = answered(await client.auth.mfa.webauthn.enroll({ friendlyName: 'Chiave' }))
    assert.deepEqual([factor.type, factor.friendly_name], ['webauthn', 'Chiave'])
  })

  test('needs a session', async () => {
    refused(await newClient().auth.mfa.webauthn.enroll({ friendlyName: 'Chiave' }), 403, 'bad_jwt')
  })
})

works('auth.mfa.webauthn.challenge', () => {
  test('asks the browser for a new credential, later for that one', async () => {
    const { client, key, factorId } = await keyHolder()
    const second = newAuthenticator()
    const { id } = answered(await client.auth.mfa.webauthn.enroll({ friendlyName: 'Riserva' }))
    for (const [holder, each, type] of [
      [second, id, 'create'],
      [key, factorId, 'request'],
    ]) {
      const params = { factorId: each, webauthn: relyingParty }
      const { webauthn } = answered(await inBrowser(holder, () => client.auth.mfa.webauthn.challenge(params)))
      assert.equal(webauthn.type, type)
    }
  })

  test('refuses an unknown factor', async () => {
    const { client } = await person()
    const params = { factorId: UNKNOWN, webauthn: relyingParty }
    refused(await client.auth.mfa.webauthn.challenge(params), 404, 'mfa_factor_not_found')
  })
})

works('auth.mfa.webauthn.verify', () => {
  test('takes the answer of the browser, once', async () => {
    const { client, key, factorId } = await keyHolder()
    const { challengeId, webauthn } = answered(
      await inBrowser(key, () => client.auth.mfa.webauthn.challenge({ factorId, webauthn: relyingParty })),
    )
    const params = { factorId, challengeId, webauthn: { ...webauthn, ...relyingParty } }
    assert.ok(answered(await client.auth.mfa.webauthn.verify(params)).access_token)
    assert.equal((await client.auth.mfa.webauthn.verify(params)).error.name, 'AuthApiError')
  })
})

works('auth.mfa.recoveryCodes.getStatus', () => {
  test('counts what is left', async () => {
    const { client } = await protectedPerson()
    answered(await client.auth.mfa.recoveryCodes.generate())
    const { total, remaining, type } = answered(await client.auth.mfa.recoveryCodes.getStatus())
    assert.deepEqual([total, remaining, type], [10, 10, 'recovery_code'])
  })

  test('knows who has none', async () => {
    const { client } = await person()
    refused(await client.auth.mfa.recoveryCodes.getStatus(), 404, 'mfa_factor_not_found')
  })
})

works('auth.mfa.recoveryCodes.generate', () => {
  test('shows ten codes once', async () => {
    const { client } = await protectedPerson()
    const { codes, total } = answered(await client.auth.mfa.recoveryCodes.generate({ friendlyName: 'Nel cassetto' }))
    assert.equal(total, 10)
    assert.equal(new Set(codes).size, 10)
    refused(await client.auth.mfa.recoveryCodes.generate(), 422, 'mfa_verified_factor_exists')
  })

  test('needs another factor', async () => {
    const { client } = await person()
    refused(await client.auth.mfa.recoveryCodes.generate(), 403, 'insufficient_aal')
  })
})

works('auth.mfa.recoveryCodes.verify', () => {
  test('is a second step of signing in, once for each code', async () => {
    const { client: before, email } = await protectedPerson()
    const [code] = answered(await before.auth.mfa.recoveryCodes.generate()).codes
    const client = newClient()
    answered(await client.auth.signInWithPassword({ email, password: PASSWORD }))
    answered(await client.auth.mfa.recoveryCodes.verify({ code: code.toUpperCase() }))
    assert.equal((await level(client)).currentLevel, 'aal2')
    refused(await client.auth.mfa.recoveryCodes.verify({ code }), 422, 'mfa_verification_failed')
  })
})

works('auth.mfa.recoveryCodes.regenerate', () => {
  test('replaces all codes', async () => {
    const { client } = await protectedPerson()
    const [old] = answered(await client.auth.mfa.recoveryCodes.generate()).codes
    const { codes } = answered(await client.auth.mfa.recoveryCodes.regenerate())
    refused(await client.auth.mfa.recoveryCodes.verify({ code: old }), 422, 'mfa_verification_failed')
    answered(await client.auth.mfa.recoveryCodes.verify({ code: codes[0] }))
  })

  test('needs codes to replace', async () => {
    const { client } = await protectedPerson()
    refused(await client.auth.mfa.recoveryCodes.regenerate(), 404, 'mfa_factor_not_found')
  })
})

works('auth.mfa.recoveryCodes.unenroll', () => {
  test('removes them', async () => {
    const { client } = await protectedPerson()
    const { id } = answered(await client.auth.mfa.recoveryCodes.generate())
    assert.deepEqual(answered(await client.auth.mfa.recoveryCodes.unenroll()), { id })
    refused(await client.auth.mfa.recoveryCodes.unenroll(), 404, 'mfa_factor_not_found')
  })
})
