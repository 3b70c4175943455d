/** An application elsewhere that asks to use somebody's account. */
import { createHash, randomBytes } from 'node:crypto'

import type { Page } from '@playwright/test'

import { readStack } from './stack'

const back = 'https://agenda.example/back'

export type Application = {
  /** Where its «Accedi con Socio» leads. */
  start: string
  back: string
}

/** Registers one as an administrator would; `page` finds its site up. */
export async function registerApplication(page: Page, name: string): Promise<Application> {
  const { url, secret_key } = readStack()
  const answer = await fetch(`${url}/auth/v1/admin/oauth/clients`, {
    method: 'POST',
    headers: { apikey: secret_key, Authorization: `Bearer ${secret_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [back] }),
  })
  if (!answer.ok) throw new Error(`the application was refused: ${await answer.text()}`)
  const { client_id } = (await answer.json()) as { client_id: string }
  await page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Agenda</h1>' }))
  const query = new URLSearchParams({
    client_id,
    redirect_uri: back,
    response_type: 'code',
    scope: 'openid email',
    state: 'of the application',
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return { start: `${url}/auth/v1/oauth/authorize?${query.toString()}`, back }
}
