// A real OpenID provider for the tests: oidc-provider with accounts of its own and a sign-in page that asks nobody.
// Reads {clients, jwks, accounts, port?, tls?} as a line of JSON from stdin; prints {http, https} (the two issuers, the
// second with `tls` only) once all listen, and ends with stdin: whoever started it and dies leaves nothing behind.
// Whom to sign in as comes with the request: login_hint names an account, and "nobody" is a person who refuses.
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import Provider from 'oidc-provider'

const lines = createInterface(process.stdin)
lines.once('close', () => process.exit())
const [line] = await once(lines, 'line')
const given = JSON.parse(line)

async function findAccount(_context, id) {
  const claims = given.accounts[id]
  return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) }
}

// Whoever signs in agrees to everything the client asks for.
async function loadExistingGrant(context) {
  const { client, session, params, provider } = context.oidc
  const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
  grant.addOIDCScope(params.scope)
  await grant.save()
  return grant
}

// Both clients' tests may run at once, and the stack looks for its provider at one address: they take turns.
async function listen(server, port) {
  for (;;) {
    server.listen(port, '127.0.0.1')
    try {
      return await once(server, 'listening')
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error
      await setTimeout(100)
    }
  }
}

async function start(server, scheme, conformIdTokenClaims, port = 0) {
  await listen(server, port)
  const issuer = `${scheme}://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: given.clients,
    jwks: given.jwks,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'picture', 'locale', 'department'] },
    conformIdTokenClaims,
    cookies: { keys: ['of tests only'] },
    features: { devInteractions: { enabled: false } },
    findAccount,
    loadExistingGrant,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    // Apple knows no PKCE, and answers by form.
    pkce: { required: ({ oidc }) => oidc.params.response_mode !== 'form_post' },
    ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
  })
  const answer = provider.callback()
  server.on('request', async (request, response) => {
    if (!request.url.startsWith('/interaction/')) return answer(request, response)
    const { params } = await provider.interactionDetails(request, response)
    const result =
      params.login_hint === 'nobody'
        ? { error: 'access_denied', error_description: 'The person said no' }
        : { login: { accountId: params.login_hint } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  })
  return issuer
}

const issuers = {
  http: await start(createHttp(), 'http', true, given.port),
  https: given.tls && (await start(createHttps(given.tls), 'https', false)),
}
console.log(JSON.stringify(issuers))
