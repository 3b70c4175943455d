/** What the tests share: the running stack, its mailbox, and clients as other browsers would be. */
import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'

export const run = JSON.parse(readFileSync(process.env.SOCIO_RUN_JSON, 'utf8'))
export const PASSWORD = 'Segreto-123'
const MAIL_TIMEOUT_MS = 20_000

export const newAddress = () => `${randomUUID()}@socio.example`
export const newNumber = () => `39333${randomInt(1_000_000, 10_000_000)}`

export function newStorage() {
  const stored = new Map()
  return {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  }
}

/** A client of its own, as another browser would be. */
export function newClient(auth = {}) {
  const experimental = { recoveryCodes: true }
  return createClient(run.url, run.publishable_key, {
    auth: { storage: newStorage(), autoRefreshToken: false, experimental, ...auth },
  })
}

/** A client with the rights of the server. */
export const admin = createClient(run.url, run.secret_key, {
  auth: { persistSession: false, autoRefreshToken: false },
}).auth.admin

/** The admin methods with somebody's own token: none of them opens. */
export async function asPerson(client) {
  const { session } = answered(await client.auth.getSession())
  const headers = { Authorization: `Bearer ${session.access_token}` }
  return createClient(run.url, run.publishable_key, { auth: { persistSession: false }, global: { headers } }).auth.admin
}

/** The texts of the mails to an address, oldest first, once that many have arrived. */
export async function mailsTo(address, count = 1) {
  const deadline = Date.now() + MAIL_TIMEOUT_MS
  while (Date.now() < deadline) {
    const { messages } = await (await fetch(`${run.mailbox_url}/api/v1/messages?limit=500`)).json()
    const found = messages.filter((mail) => mail.To.some((to) => to.Address === address))
    if (found.length >= count) {
      const texts = found.map(
        async ({ ID }) => (await (await fetch(`${run.mailbox_url}/api/v1/message/${ID}`)).json()).Text,
      )
      return (await Promise.all(texts)).reverse()
    }
    await wait(50) // the worker sends when it sends; the mailbox cannot be waited on
  }
  throw new Error(`${count} mails to ${address}`)
}

/** The code in the latest of so many SMS: they land in the same mailbox. */
export const smsCode = async (number, count = 1) =>
  /\d{6}/.exec((await mailsTo(`${number}@sms.socio.example`, count)).at(-1))[0]

export const tokenHash = (text) => /token_hash=([\w-]+)/.exec(text)[1]
export const code = (text) => /codice: (\d{6})/.exec(text)[1]

/** A confirmed account and a client signed in with it. */
export async function person() {
  const client = newClient()
  const email = newAddress()
  const { data } = await admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { full_name: 'Giulia Ferri' },
  })
  const signedIn = await client.auth.signInWithPassword({ email, password: PASSWORD })
  assert.equal(signedIn.error, null)
  return { client, email, id: data.user.id, session: signedIn.data.session }
}

export const lives = async (token) => (await newClient().auth.getUser(token)).error === null

/** The answer of a call that is expected to work. */
export function answered({ data, error }) {
  assert.equal(error, null)
  return data
}

/** A call refused by the server with this status and code. */
export function refused({ error }, status, errorCode) {
  assert.ok(error, 'not refused')
  assert.deepEqual(
    { name: error.name, status: error.status, code: error.code },
    { name: 'AuthApiError', status, code: errorCode },
  )
}

/** A call that the client itself refuses: nobody is signed in. */
export function needsSession({ error }) {
  assert.equal(error?.name, 'AuthSessionMissingError')
}
