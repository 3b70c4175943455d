/**
 * People for the tests, made through the public API and the mailbox like everybody else.
 */
import { randomUUID } from 'node:crypto'

import { AuthenticatorApp } from './authenticator-app'
import { linkTo, newestMail } from './mailbox'
import { type Credentials, readStack } from './stack'

export type Session = { access_token: string; refresh_token: string; expires_at: number; user: { id: string } }

export type Person = Credentials & { fullName: string }

export type Account = Person & { session: Session }

const stack = readStack()

async function call(
  path: string,
  init: { method?: string; key?: string; token?: string; body: unknown },
): Promise<unknown> {
  const { method = 'POST', key = stack.publishable_key, token, body } = init
  const response = await fetch(stack.url + path, {
    method,
    headers: {
      apikey: key,
      'Content-Type': 'application/json',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text ? JSON.parse(text) : null
}

/** Somebody whom the product has never seen. */
export function stranger(fullName = 'Anna Bianchi'): Person {
  return { fullName, email: `anna-${randomUUID()}@e2e.example`, password: 'Prova-2026-ok' }
}

/** Signs up without confirming the address. */
export async function signUp(person: Person): Promise<void> {
  const { email, password, fullName } = person
  await call('/auth/v1/signup', { body: { email, password, data: { full_name: fullName } } })
}

/** As somebody with the secret key does it: the account is there, its password is still to be chosen. */
export async function invite({ email }: Person): Promise<void> {
  await call('/auth/v1/invite', { key: stack.secret_key, body: { email } })
}

export async function signIn({ email, password }: Credentials): Promise<Session> {
  return (await call('/auth/v1/token?grant_type=password', { body: { email, password } })) as Session
}

/** A confirmed account; `onboarded` has already been through the four steps. */
export async function createAccount({ onboarded }: { onboarded: boolean }): Promise<Account> {
  const person = stranger()
  await signUp(person)
  const link = new URL(linkTo('/auth/confirm', await newestMail(person.email)), stack.url)
  const token_hash = link.searchParams.get('token_hash')
  const session = (await call('/auth/v1/verify', { body: { type: 'signup', token_hash } })) as Session
  if (onboarded) {
    await call(`/rest/v1/profiles?user_id=eq.${session.user.id}`, {
      method: 'PATCH',
      token: session.access_token,
      body: { onboarding_completed: true },
    })
  }
  return { ...person, session }
}

/** Makes `account` an administrator, as the server's own tools do. */
export async function makeAdmin(account: Account): Promise<void> {
  await call('/rest/v1/user_roles', {
    key: stack.secret_key,
    body: { user_id: account.session.user.id, role: 'admin' },
  })
}

/** Adds an authenticator app to `account`, whose session is aal2 from then on. */
export async function addSecondFactor(account: Account): Promise<AuthenticatorApp> {
  const { access_token: token } = account.session
  const factor = (await call('/auth/v1/factors', {
    token,
    body: { factor_type: 'totp', friendly_name: 'App di autenticazione' },
  })) as { id: string; totp: { secret: string } }
  const app = new AuthenticatorApp(factor.totp.secret)
  const challenge = (await call(`/auth/v1/factors/${factor.id}/challenge`, { token, body: {} })) as { id: string }
  account.session = (await call(`/auth/v1/factors/${factor.id}/verify`, {
    token,
    body: { challenge_id: challenge.id, code: app.code() },
  })) as Session
  return app
}

/** A notification as the server's jobs write them. */
export async function notify(
  account: Account,
  row: { title: string; message: string; type: string; action_url?: string; kind?: string; category?: string },
): Promise<void> {
  await call('/rest/v1/notifications', { key: stack.secret_key, body: { user_id: account.session.user.id, ...row } })
}

/** Connects a mail account of `account`, whose server is the development mailbox. */
export async function connectMail({ session, email, fullName }: Account): Promise<void> {
  await call('/functions/v1/mail_account', {
    method: 'PUT',
    token: session.access_token,
    body: {
      host: '127.0.0.1',
      port: stack.mailbox_smtp_port,
      security: 'starttls',
      username: email,
      password: 'una password',
      from_address: email,
      from_name: fullName,
      signature: fullName,
    },
  })
}

/** Gives `account` the sample data: contacts, deals, tasks and projects. */
export async function addDemoData({ session }: Account): Promise<void> {
  await call('/rest/v1/rpc/add_demo_data', { token: session.access_token, body: {} })
}

export async function addMailTemplate({ session }: Account, template: Record<'name' | 'subject' | 'body', string>) {
  await call('/rest/v1/mail_templates', { token: session.access_token, body: template })
}

type Owed = { issued_on: string; total_cents: number; paid_on?: string; due_on?: string; contact_id?: string }

/** Invoices that `account` issued, as the job that reads them writes them. */
export async function addInvoices({ session }: Account, owed: Owed[]): Promise<void> {
  const user_id = session.user.id
  const invoices = owed.map((one, place) => ({
    id: randomUUID(),
    document_id: randomUUID(),
    number: `${place + 1}`,
    ...one,
  }))
  const rows: [string, unknown][] = [
    [
      'documents',
      invoices.map(({ document_id: id, number, contact_id = null }) => ({
        id,
        user_id,
        contact_id,
        storage_path: `${user_id}/${id}.xml`,
        filename: `Fattura ${number}.xml`,
        state: 'pronto',
      })),
    ],
    [
      'invoices',
      invoices.map(({ id, document_id, number, issued_on, total_cents, paid_on = null, contact_id = null }) => ({
        id,
        user_id,
        contact_id,
        document_id,
        number,
        issued_on,
        total_cents,
        paid_on,
        direction: 'attiva',
        source: 'fatturapa',
      })),
    ],
    [
      'invoice_schedules',
      invoices.map(({ id, total_cents, paid_on = null, due_on = null }) => ({
        user_id,
        invoice_id: id,
        amount_cents: total_cents,
        due_on,
        paid_on,
      })),
    ],
  ]
  for (const [table, body] of rows) {
    // Each refers to the one before it.
    // oxlint-disable-next-line no-await-in-loop
    await call(`/rest/v1/${table}`, { key: stack.secret_key, body })
  }
}

/** Says when an invoice of `account` was paid, as another tab does. */
export async function payInvoice({ session }: Account, id: string, paidOn: string): Promise<void> {
  const body = { _invoice_id: id, _paid_on: paidOn }
  await call('/rest/v1/rpc/mark_invoice_paid', { token: session.access_token, body })
}
