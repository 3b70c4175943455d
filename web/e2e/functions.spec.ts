/**
 * A page of another origin calls functions: its browser decides whether it may read the answers.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Page } from '@playwright/test'

import { readStack } from './support/stack'
import { expect, test } from './support/test'

const { url, publishable_key } = readStack()

let other: Server

test.beforeAll(async () => {
  other = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Another site</title>')
  })
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
})

test.afterAll(() => void other.close())

/** Calls the function as supabase-js does in a browser; the headers make the browser ask first. */
async function invoke(page: Page, slug: string, body: unknown) {
  return page.evaluate(
    async ([address, key, text]) => {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { apikey: key, 'Content-Type': 'application/json', 'X-Client-Info': 'supabase-js-web' },
        body: text,
      })
      return { status: answer.status, content: (await answer.json()) as unknown }
    },
    [`${url}/functions/v1/${slug}`, publishable_key, JSON.stringify(body)] as const,
  )
}

test('a page of another origin reads what a function with its own corsHeaders answers', async ({ page, console }) => {
  console.allow(/the server responded with a status of 400/)
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  expect(await invoke(page, 'own_cors', { name: 'Anna' })).toEqual({ status: 200, content: { message: 'Hello Anna!' } })
  const origins = (await (await answered).headersArray()).filter(
    ({ name }) => name.toLowerCase() === 'access-control-allow-origin',
  )
  expect(origins.map(({ value }) => value)).toEqual(['*'])

  const refused = { status: 400, content: { error: 'name is missing' } }
  expect(await invoke(page, 'own_cors', {})).toEqual(refused)
  // One that leaves the header to the gateway.
  expect(await invoke(page, 'echo', { name: 'Anna' })).toEqual({ status: 200, content: { name: 'Anna' } })
})
