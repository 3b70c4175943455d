/** Other applications signing people in with our accounts. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { works } from './methods.js'
import { admin, answered, needsSession, newClient, person, refused, run } from './stack.js'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const REDIRECT = 'https://contabile.example/callback'
const newApplication = () => ({ client_name: 'Contabile', redirect_uris: [REDIRECT], scope: 'openid email' })

/** Where an application sends somebody; answers what the consent page gets. */
async function authorizationOf(application) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: application.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid email',
    state: 'stato',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await fetch(`${run.url}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
  const id = new URL(answer.headers.get('location'), run.url).searchParams.get('authorization_id')
  assert.ok(id, answer.headers.get('location'))
  return { id, verifier }
}

/** A person in front of the consent page. */
async function asked() {
  const application = answered(await admin.oauth.createClient(newApplication()))
  return { ...(await person()), application, authorization: await authorizationOf(application) }
}

/** The consent page shows what it is about before it answers. */
async function approved() {
  const someone = await asked()
  const { client, authorization } = someone
  answered(await client.auth.oauth.getAuthorizationDetails(authorization.id))
  const { redirect_url } = answered(await client.auth.oauth.approveAuthorization(authorization.id))
  return { ...someone, back: new URL(redirect_url) }
}

works('auth.oauth.getAuthorizationDetails', () => {
  test('says who asks for what', async () => {
    const { client, email, application, authorization } = await asked()
    const details = answered(await client.auth.oauth.getAuthorizationDetails(authorization.id))
    assert.equal(details.authorization_id, authorization.id)
    assert.deepEqual([details.client.id, details.client.name], [application.client_id, 'Contabile'])
    assert.equal(details.user.email, email)
    assert.equal(details.scope, 'openid email')
  })

  test('refuses an unknown request', async () => {
    const { client } = await person()
    refused(await client.auth.oauth.getAuthorizationDetails('nessuno'), 404, 'oauth_authorization_not_found')
  })

  test('needs a session', async () => needsSession(await newClient().auth.oauth.getAuthorizationDetails('nessuno')))
})

works('auth.oauth.approveAuthorization', () => {
  test('sends back with a code that is worth a token', async () => {
    const { id, application, authorization, back } = await approved()
    assert.equal(back.searchParams.get('state'), 'stato')
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code'),
      redirect_uri: REDIRECT,
      code_verifier: authorization.verifier,
    })
    const headers = { authorization: `Basic ${btoa(`${application.client_id}:${application.client_secret}`)}` }
    const answer = await fetch(`${run.url}/auth/v1/oauth/token`, { method: 'POST', body, headers })
    const tokens = await answer.json()
    assert.equal(answer.status, 200, JSON.stringify(tokens))
    assert.equal(answered(await newClient().auth.getUser(tokens.access_token)).user.id, id)
  })

  test('refuses an unknown request', async () => {
    const { client } = await person()
    refused(await client.auth.oauth.approveAuthorization('nessuno'), 404, 'oauth_authorization_not_found')
  })
})

works('auth.oauth.denyAuthorization', () => {
  test('sends back empty-handed', async () => {
    const { client, authorization } = await asked()
    answered(await client.auth.oauth.getAuthorizationDetails(authorization.id))
    const { redirect_url } = answered(await client.auth.oauth.denyAuthorization(authorization.id))
    assert.equal(new URL(redirect_url).searchParams.get('error'), 'access_denied')
  })

  test('refuses an unknown request', async () => {
    const { client } = await person()
    refused(await client.auth.oauth.denyAuthorization('nessuno'), 404, 'oauth_authorization_not_found')
  })
})

works('auth.oauth.listGrants', () => {
  test('remembers who was let in', async () => {
    const { client, application } = await approved()
    const [grant] = answered(await client.auth.oauth.listGrants())
    assert.equal(grant.client.id, application.client_id)
    assert.deepEqual(grant.scopes, ['openid', 'email'])
    assert.ok(grant.granted_at)
  })

  test('needs a session', async () => needsSession(await newClient().auth.oauth.listGrants()))
})

works('auth.oauth.revokeGrant', () => {
  test('shows the application out', async () => {
    const { client, application } = await approved()
    assert.deepEqual(answered(await client.auth.oauth.revokeGrant({ clientId: application.client_id })), {})
    assert.deepEqual(answered(await client.auth.oauth.listGrants()), [])
  })

  test('refuses where there is nothing to revoke', async () => {
    const { client } = await person()
    refused(await client.auth.oauth.revokeGrant({ clientId: UNKNOWN }), 404, 'oauth_consent_not_found')
  })
})

works('auth.admin.oauth.createClient', () => {
  test('shows the secret once', async () => {
    const application = answered(await admin.oauth.createClient(newApplication()))
    assert.ok(application.client_id && application.client_secret)
    assert.deepEqual([application.client_name, application.client_type], ['Contabile', 'confidential'])
    assert.equal('client_secret' in answered(await admin.oauth.getClient(application.client_id)), false)
  })

  test('refuses a redirect that others could read', async () => {
    const params = { ...newApplication(), redirect_uris: ['http://contabile.example/callback'] }
    refused(await admin.oauth.createClient(params), 400, 'validation_failed')
  })
})

works('auth.admin.oauth.listClients', () => {
  test('pages', async () => {
    const { client_id } = answered(await admin.oauth.createClient(newApplication()))
    answered(await admin.oauth.createClient(newApplication()))
    const { clients, total, nextPage } = answered(await admin.oauth.listClients({ page: 1, perPage: 1 }))
    assert.deepEqual([clients.length, nextPage], [1, 2])
    assert.ok(total >= 2)
    const all = answered(await admin.oauth.listClients({ page: 1, perPage: 100 })).clients
    assert.ok(all.some((each) => each.client_id === client_id))
  })
})

works('auth.admin.oauth.getClient', () => {
  test('finds', async () => {
    const { client_id } = answered(await admin.oauth.createClient(newApplication()))
    assert.deepEqual(answered(await admin.oauth.getClient(client_id)).redirect_uris, [REDIRECT])
  })

  test('knows what is not there', async () => {
    refused(await admin.oauth.getClient(UNKNOWN), 404, 'oauth_client_not_found')
  })
})

works('auth.admin.oauth.updateClient', () => {
  test('changes', async () => {
    const { client_id } = answered(await admin.oauth.createClient(newApplication()))
    const params = { client_name: 'Ragioniere', redirect_uris: ['https://ragioniere.example/'] }
    const changed = answered(await admin.oauth.updateClient(client_id, params))
    assert.deepEqual([changed.client_name, changed.redirect_uris], ['Ragioniere', ['https://ragioniere.example/']])
  })

  test('knows what is not there', async () => {
    refused(await admin.oauth.updateClient(UNKNOWN, { client_name: 'X' }), 404, 'oauth_client_not_found')
  })
})

works('auth.admin.oauth.deleteClient', () => {
  test('removes', async () => {
    const { client_id } = answered(await admin.oauth.createClient(newApplication()))
    assert.equal((await admin.oauth.deleteClient(client_id)).error, null)
    refused(await admin.oauth.getClient(client_id), 404, 'oauth_client_not_found')
  })
})

works('auth.admin.oauth.regenerateClientSecret', () => {
  test('replaces the secret', async () => {
    const { client_id, client_secret } = answered(await admin.oauth.createClient(newApplication()))
    const fresh = answered(await admin.oauth.regenerateClientSecret(client_id))
    assert.ok(fresh.client_secret && fresh.client_secret !== client_secret)
  })

  test('knows what is not there', async () => {
    refused(await admin.oauth.regenerateClientSecret(UNKNOWN), 404, 'oauth_client_not_found')
  })
})
