/** Starts tests/oidc/server.mjs where the stack looks for its provider, and walks there and back as a browser does. */
import { spawn } from 'node:child_process'
import { createECDH, createHash, createPrivateKey, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { run } from './stack.js'

const issuer = process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL
const clientId = process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID
// New people in each run: the stack remembers who they are.
const instance = randomBytes(4).toString('hex')
const names = ['giulia', 'marco']

/** The `login_hint` of somebody the provider knows; nobody else says yes. */
export const account = (name) => `${name}-${instance}`

/** Follows from the stack's secret, so that whoever starts the provider next has the key the stack remembers. */
function signingKey() {
  const curve = createECDH('prime256v1')
  const secret = createHash('sha256').update(run.secret_key).digest()
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const [d, x, y] = [secret, point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'))
  return { kty: 'EC', crv: 'P-256', d, x, y, kid: 'contract', use: 'sig', alg: 'ES256' }
}

const privateKey = signingKey()

/** A cookie jar and a walk: follows redirects until a page of the product. */
async function travel(url) {
  const cookies = new Map()
  for (let at = new URL(url); ;) {
    const product = at.origin === new URL(run.url).origin
    if (product && !at.pathname.startsWith('/auth/v1/')) return at
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: product ? {} : { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (!location) throw new Error(`${answer.status} at ${at}: ${await answer.text()}`)
    at = new URL(location, at)
  }
}

/** An ID token as the provider would make it for an app of ours. */
function idToken(claims) {
  const now = Math.round(Date.now() / 1000)
  const header = { alg: 'ES256', kid: privateKey.kid, typ: 'JWT' }
  const body = { iss: issuer, aud: clientId, iat: now, exp: now + 600, ...claims }
  const signed = [header, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const key = createPrivateKey({ key: privateKey, format: 'jwk' })
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** The running provider. */
export async function startProvider() {
  const client = {
    client_id: clientId,
    client_secret: process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET,
    redirect_uris: [`${run.url}/auth/v1/callback`],
    id_token_signed_response_alg: 'ES256',
  }
  const person = (name) => ({ name, email: `${account(name)}@openid.example`, email_verified: true })
  const accounts = Object.fromEntries(names.map((name) => [account(name), person(name)]))
  const given = { clients: [client], jwks: { keys: [privateKey] }, accounts, port: Number(new URL(issuer).port) }
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('../../oidc/server.mjs'))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.write(`${JSON.stringify(given)}\n`)
  await once(createInterface(child.stdout), 'line')
  // It ends with its stdin, which is ours: it neither keeps the tests running nor outlives them.
  for (const each of [child, child.stdin, child.stdout]) each.unref()
  return { idToken, travel }
}
