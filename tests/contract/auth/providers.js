/** Signing in with an account elsewhere: a real OpenID provider beside the stack (tests/oidc/server.mjs). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disabled, works } from './methods.js'
import { account, startProvider } from './openid.js'
import { answered, needsSession, newAddress, newClient, person, refused, run } from './stack.js'

const provider = 'keycloak'
const elsewhere = await startProvider()

/** Where the provider and our callback send somebody who starts at this address. */
const arrival = (url, hint) => elsewhere.travel(`${url}&login_hint=${hint}`)

works('auth.signInWithOAuth', () => {
  test('ends in a code for the client that asked', async () => {
    const client = newClient({ flowType: 'pkce' })
    const { url } = answered(
      await client.auth.signInWithOAuth({ provider, options: { redirectTo: `${run.url}/home` } }),
    )
    const arrived = await arrival(url, account('giulia'))
    assert.equal(arrived.pathname, '/home')
    const { user } = answered(await client.auth.exchangeCodeForSession(arrived.searchParams.get('code')))
    assert.equal(user.app_metadata.provider, provider)
    assert.equal(user.user_metadata.full_name, 'giulia')
  })

  test('tells the page who said no', async () => {
    const { url } = answered(await newClient().auth.signInWithOAuth({ provider }))
    const fragment = new URLSearchParams((await arrival(url, 'nobody')).hash.slice(1))
    assert.equal(fragment.get('error'), 'access_denied')
  })

  test('refuses a provider that is off', async () => {
    const { url } = answered(await newClient().auth.signInWithOAuth({ provider: 'twitter' }))
    assert.equal((await fetch(url, { redirect: 'manual' })).status, 400)
  })
})

works('auth.signInWithIdToken', () => {
  test('takes the token an app got from the provider', async () => {
    const email = newAddress()
    const token = elsewhere.idToken({ sub: email, email, email_verified: true })
    const { user, session } = answered(await newClient().auth.signInWithIdToken({ provider, token }))
    assert.equal(user.email, email)
    assert.ok(session.access_token)
  })

  test('refuses a token for another application', async () => {
    const token = elsewhere.idToken({ sub: 'x', aud: 'altro' })
    const { error } = await newClient().auth.signInWithIdToken({ provider, token })
    assert.deepEqual([error.name, error.status], ['AuthApiError', 400])
  })
})

/** The person's account at the provider, connected. */
async function connected() {
  const someone = await person()
  const subject = newAddress()
  const token = elsewhere.idToken({ sub: subject, email: subject, email_verified: true })
  answered(await someone.client.auth.linkIdentity({ provider, token }))
  return { ...someone, token }
}

works('auth.linkIdentity', () => {
  test('connects an account by redirect', async () => {
    const { client } = await person()
    const { url } = answered(await client.auth.linkIdentity({ provider, options: { redirectTo: run.url } }))
    await arrival(url, account('marco'))
    const { identities } = answered(await client.auth.getUserIdentities())
    assert.deepEqual(identities.map((each) => each.provider).sort(), ['email', provider])
  })

  test('connects an account by token, to one person only', async () => {
    const { token } = await connected()
    const { client } = await person()
    refused(await client.auth.linkIdentity({ provider, token }), 422, 'identity_already_exists')
  })
})

works('auth.getUserIdentities', () => {
  test('lists the ways in', async () => {
    const { client } = await connected()
    const { identities } = answered(await client.auth.getUserIdentities())
    assert.equal(identities.length, 2)
  })

  test('needs a session', async () => needsSession(await newClient().auth.getUserIdentities()))
})

works('auth.unlinkIdentity', () => {
  test('disconnects, but never the last one', async () => {
    const { client } = await connected()
    const { identities } = answered(await client.auth.getUserIdentities())
    const [own, other] = [
      identities.find((each) => each.provider === 'email'),
      identities.find((each) => each.provider === provider),
    ]
    answered(await client.auth.unlinkIdentity(other))
    refused(await client.auth.unlinkIdentity(own), 422, 'single_identity_not_deletable')
  })
})

disabled('auth.signInWithSSO', () => {
  test('answers that SAML is off', async () => {
    refused(await newClient().auth.signInWithSSO({ domain: 'socio.example' }), 404, 'saml_provider_disabled')
  })
})

disabled('auth.signInWithWeb3', () => {
  test('answers that wallets are off', async () => {
    const message = `${new URL(run.url).host} wants you to sign in with your account`
    for (const credentials of [
      { chain: 'ethereum', message, signature: '0x00' },
      { chain: 'solana', message, signature: new Uint8Array(64) },
    ]) {
      refused(await newClient().auth.signInWithWeb3(credentials), 422, 'web3_provider_disabled')
    }
  })
})
