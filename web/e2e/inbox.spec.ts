/** A client answers a reminder: the answer comes into the inbox, the contact and the invoice, and is answered. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

import { randomUUID } from 'node:crypto'

import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { daysFromNow } from './support/days'
import { mailsTo } from './support/mailbox'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// A mail waits ten seconds before it leaves, and the worker looks every few seconds.
test.slow()

const root = fileURLToPath(new URL('../..', import.meta.url))
const PASSWORD = 'segreta-per-le-app'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Puts a message into a mailbox of the IMAP server. */
async function deliver(port: number, account: string, lines: string[]): Promise<void> {
  const program =
    'import sys; from tests.fakes import dovecot; dovecot.deliver(int(sys.argv[1]), sys.argv[2], sys.stdin.buffer.read())'
  const child = spawn('python', ['-c', program, String(port), account], { cwd: root })
  child.stdin.end(lines.join('\r\n'))
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
}

let imap: ChildProcess
let port: number

test.beforeAll(async () => {
  port = await freePort()
  imap = spawn('python', ['-m', 'tests.fakes.dovecot', String(port)], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    imap.stdout?.once('data', () => resolve())
    imap.once('exit', () => reject(new Error('Dovecot did not start')))
  })
})

test.afterAll(async () => {
  imap.stdin?.end()
  await new Promise((resolve) => imap.once('exit', resolve))
})

test('the answer of a client stands in inbox and contact, and is answered in its thread', async ({
  page,
  account,
  console,
}) => {
  // Asked again too soon.
  console.allow(/fetch_mail/)
  const address = `neri-${randomUUID()}@example.com`
  const contactId = ask(
    account,
    "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', 'Neri srl') returning id::text",
  ).trim()
  ask(
    account,
    `insert into public.contact_emails (user_id, contact_id, value) values ($1, '${contactId}', '${address}')`,
  )
  await addInvoices(account, [
    { issued_on: daysFromNow(-53), total_cents: 122_000, due_on: daysFromNow(-23), contact_id: contactId },
  ])
  await page.goto('/settings/channels')
  await page.getByLabel('Server SMTP').fill('127.0.0.1')
  await page.getByLabel('Porta', { exact: true }).fill(String(readStack().mailbox_smtp_port))
  await page.getByLabel('Collegamento').selectOption('starttls')
  await page.getByLabel('Server IMAP, per leggere la posta').fill('127.0.0.1')
  await page.getByLabel('Porta del server IMAP').fill(String(port))
  await page.getByLabel('Password della casella').fill(PASSWORD)
  await page.getByRole('button', { name: 'Collega' }).click()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()

  // A reminder of an overdue invoice.
  const messageId = `<${randomUUID()}@example.com>`
  ask(
    account,
    `insert into public.outgoing_mails
       (user_id, contact_id, key, recipient, subject, body, basis, invoice_id, message_id, not_before, expires_at, state, sent_at)
     select $1, '${contactId}', gen_random_uuid(), '${address}', 'Sollecito di pagamento', 'x', 'contratto', id, '${messageId}',
       now(), now(), 'sent', now()
     from public.invoices where user_id = $1`,
  )
  await deliver(port, account.email, [
    `From: Carla Neri <${address}>`,
    `To: ${account.email}`,
    'Subject: R: Sollecito di pagamento',
    `Message-ID: <${randomUUID()}@example.com>`,
    `In-Reply-To: ${messageId}`,
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Pago <b>domani</b>.</p><img src="https://traccia.example/1.gif"><script>alert(1)</script>',
  ])
  await page.goto('/crm?vista=posta')
  await expect(async () => {
    await page.getByRole('button', { name: 'Aggiorna' }).click()
    // Realtime brings it.
    await expect(page.getByRole('button', { name: /Carla Neri/ })).toBeVisible({ timeout: 4_000 })
  }).toPass({ timeout: 60_000 })
  await expectAccessible(page)
  await page.goto('/home')
  await expect(page.getByRole('list', { name: 'Posta da gestire' }).getByRole('link')).toHaveText([
    /^Neri srl: Sollecito/,
  ])
  await page.getByRole('link', { name: '1 conversazione da gestire' }).click()
  await expect(page.getByRole('button', { name: /Carla Neri/ })).toBeVisible()
  await page.keyboard.press('j')
  const thread = page.getByRole('region', { name: 'Sollecito di pagamento' })
  await expect(thread.getByText('Pago domani.')).toBeVisible()
  await thread.getByRole('button', { name: 'Mostra formattata' }).click()
  await expect(page.frameLocator('iframe[title="E-mail formattata"]').getByText('domani')).toBeVisible()
  await expect(thread.getByText('Le immagini che stanno altrove non si caricano.')).toBeVisible()
  // axe sends messages into frames, which this one refuses.
  await thread.getByRole('button', { name: 'Mostra il testo' }).click()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  expect(
    ask(account, 'select count(*) from public.mail_threads where user_id = $1 and invoice_id is not null').trim(),
  ).toBe('1')

  await page.keyboard.press('r')
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await expect(letter.getByLabel('Oggetto')).toHaveValue('Re: Sollecito di pagamento')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 60_000 }).toBe(1)
  await page.goto('/crm?vista=posta')
  await expect(page.getByText('Nessuna e-mail aspetta una risposta')).toBeVisible()
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText(/Pago domani/).first()).toBeVisible()
  // The conversation stands at the contact and at the invoice, and is found by a word.
  const conversation = page.getByRole('list', { name: 'E-mail' }).getByRole('link', { name: 'Sollecito di pagamento' })
  await expect(conversation).toBeVisible()
  await page.goto(`/documents/${ask(account, 'select document_id from public.invoices where user_id = $1').trim()}`)
  await expect(conversation).toBeVisible()
  await page.goto('/crm?vista=posta')
  await page.getByRole('searchbox', { name: 'Cerca nella posta' }).fill('domani')
  await expect(page.getByRole('list', { name: 'E-mail trovate' }).locator('mark')).toHaveText('domani')
  await expectAccessible(page)
})
