/** Signing in with nothing but a passkey. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, newAuthenticator } from './authenticators.js'
import { works } from './methods.js'
import { admin, answered, asPerson, needsSession, newClient, person, refused } from './stack.js'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** A person with a passkey. */
async function passkeyHolder() {
  const someone = await person()
  const key = newAuthenticator()
  const passkey = answered(await inBrowser(key, () => someone.client.auth.registerPasskey()))
  return { ...someone, key, passkeyId: passkey.id }
}

/** What a page does that talks to the browser itself. */
const created = (key, options) =>
  key
    .create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
      },
    })
    .toJSON()
const bytes = (text) => Buffer.from(text, 'base64url')

works('auth.registerPasskey', () => {
  test('keeps the credential the browser makes', async () => {
    const { client, passkeyId } = await passkeyHolder()
    assert.deepEqual(
      answered(await client.auth.passkey.list()).map(({ id }) => id),
      [passkeyId],
    )
  })

  test('needs a session', async () => {
    const client = newClient()
    needsSession(await inBrowser(newAuthenticator(), () => client.auth.registerPasskey()))
  })
})

works('auth.signInWithPasskey', () => {
  test('signs in whom the passkey names', async () => {
    const { key, id } = await passkeyHolder()
    const client = newClient()
    const { session, user } = answered(await inBrowser(key, () => client.auth.signInWithPasskey()))
    assert.equal(user.id, id)
    assert.equal(answered(await client.auth.getClaims(session.access_token)).claims.amr[0].method, 'passkey')
  })

  test('refuses an unknown passkey', async () => {
    const client = newClient()
    const answer = await inBrowser(newAuthenticator(), () => client.auth.signInWithPasskey())
    refused(answer, 400, 'webauthn_verification_failed')
  })
})

works('auth.passkey.startRegistration', () => {
  test('answers what the browser needs', async () => {
    const { client, email } = await person()
    const { challenge_id, options, expires_at } = answered(await client.auth.passkey.startRegistration())
    assert.ok(challenge_id && options.challenge && expires_at)
    assert.equal(options.user.name, email)
    assert.equal(options.authenticatorSelection.residentKey, 'required')
  })

  test('needs a session', async () => needsSession(await newClient().auth.passkey.startRegistration()))
})

works('auth.passkey.verifyRegistration', () => {
  test('takes the new credential, once', async () => {
    const { client } = await person()
    const { challenge_id: challengeId, options } = answered(await client.auth.passkey.startRegistration())
    const params = { challengeId, credential: created(newAuthenticator(), options) }
    const { id, created_at } = answered(await client.auth.passkey.verifyRegistration(params))
    assert.ok(id && created_at)
    refused(await client.auth.passkey.verifyRegistration(params), 400, 'webauthn_challenge_not_found')
  })
})

works('auth.passkey.startAuthentication', () => {
  test('asks for any passkey of this domain', async () => {
    const { challenge_id, options } = answered(await newClient().auth.passkey.startAuthentication())
    assert.ok(challenge_id)
    assert.equal(options.rpId, 'localhost')
    assert.equal(options.allowCredentials?.length ?? 0, 0)
  })
})

works('auth.passkey.verifyAuthentication', () => {
  test('answers a session', async () => {
    const { key, id } = await passkeyHolder()
    const client = newClient()
    const { challenge_id: challengeId, options } = answered(await client.auth.passkey.startAuthentication())
    const credential = key.get({ publicKey: { ...options, challenge: bytes(options.challenge) } }).toJSON()
    const { session, user } = answered(await client.auth.passkey.verifyAuthentication({ challengeId, credential }))
    assert.equal(user.id, id)
    assert.ok(session.refresh_token)
    const again = await client.auth.passkey.verifyAuthentication({ challengeId, credential })
    refused(again, 400, 'webauthn_challenge_not_found')
  })
})

works('auth.passkey.list', () => {
  test('names what a person has', async () => {
    const { client, passkeyId } = await passkeyHolder()
    const [passkey] = answered(await client.auth.passkey.list())
    assert.equal(passkey.id, passkeyId)
    assert.ok(passkey.created_at)
  })

  test('needs a session', async () => needsSession(await newClient().auth.passkey.list()))
})

works('auth.passkey.update', () => {
  test('renames', async () => {
    const { client, passkeyId } = await passkeyHolder()
    const renamed = answered(await client.auth.passkey.update({ passkeyId, friendlyName: 'Portatile' }))
    assert.equal(renamed.friendly_name, 'Portatile')
  })

  test('refuses the passkey of somebody else', async () => {
    const { passkeyId } = await passkeyHolder()
    const { client } = await person()
    const answer = await client.auth.passkey.update({ passkeyId, friendlyName: 'Mia' })
    refused(answer, 404, 'webauthn_credential_not_found')
  })
})

works('auth.passkey.delete', () => {
  test('removes', async () => {
    const { client, passkeyId } = await passkeyHolder()
    assert.equal((await client.auth.passkey.delete({ passkeyId })).error, null)
    assert.deepEqual(answered(await client.auth.passkey.list()), [])
    refused(await client.auth.passkey.delete({ passkeyId }), 404, 'webauthn_credential_not_found')
  })
})

works('auth.admin.passkey.listPasskeys', () => {
  test('shows the passkeys of anybody', async () => {
    const { id, passkeyId } = await passkeyHolder()
    assert.deepEqual(
      answered(await admin.passkey.listPasskeys({ userId: id })).map((each) => each.id),
      [passkeyId],
    )
  })

  test('is not for people', async () => {
    const { client, id: userId } = await person()
    refused(await (await asPerson(client)).passkey.listPasskeys({ userId }), 403, 'not_admin')
  })
})

works('auth.admin.passkey.deletePasskey', () => {
  test('removes', async () => {
    const { id: userId, passkeyId } = await passkeyHolder()
    assert.equal((await admin.passkey.deletePasskey({ userId, passkeyId })).error, null)
    assert.deepEqual(answered(await admin.passkey.listPasskeys({ userId })), [])
  })

  test('refuses an unknown one', async () => {
    const { id: userId } = await person()
    const answer = await admin.passkey.deletePasskey({ userId, passkeyId: UNKNOWN })
    refused(answer, 404, 'webauthn_credential_not_found')
  })
})
