/**
 * The OpenID provider that the throw-away stack looks for (tests/oidc/server.mjs), as the accounts of one test.
 */
import { spawn } from 'node:child_process'
import { createECDH, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { Page } from '@playwright/test'

import { readStack } from './stack'

const { env } = process
const issuer = new URL(env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL ?? 'http://127.0.0.1')
const server = fileURLToPath(new URL('../../../tests/oidc/server.mjs', import.meta.url))

/** The key of the contract tests (tests/contract/auth/openid.js): a stack that has met it asks for no other soon. */
function signingKey() {
  const curve = createECDH('prime256v1')
  const secret = createHash('sha256').update(readStack().secret_key).digest()
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const [d, x, y] = [secret, point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  return { kty: 'EC', crv: 'P-256', d, x, y, kid: 'contract', use: 'sig', alg: 'ES256' }
}

/** Starts the provider with one account; it ends with the test process, whose pipe it reads. */
export async function startProvider(account: { id: string; name: string; email: string }): Promise<void> {
  const client = {
    client_id: env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID,
    client_secret: env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET,
    redirect_uris: [`${readStack().url}/auth/v1/callback`],
    id_token_signed_response_alg: 'ES256',
  }
  const { id, ...claims } = account
  const given = {
    clients: [client],
    jwks: { keys: [signingKey()] },
    accounts: { [id]: { ...claims, email_verified: true } },
    port: Number(issuer.port),
  }
  const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${JSON.stringify(given)}\n`)
  await once(createInterface(child.stdout), 'line')
  child.unref()
}

/** Whoever sets out for the provider from `page` is this account; «nobody» is a person who says no there. */
export async function answerAs(page: Page, account: string): Promise<void> {
  await page.unroute(isDeparture)
  await page.route(isDeparture, (route) =>
    route.continue({ url: `${route.request().url()}&login_hint=${encodeURIComponent(account)}` }),
  )
}

const isDeparture = (url: URL): boolean => url.pathname.startsWith('/auth/v1/') && url.pathname.endsWith('/authorize')
