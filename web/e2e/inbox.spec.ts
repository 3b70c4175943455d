/** A client answers a reminder: the answer comes into the inbox, the contact and the invoice, and is answered. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

import { randomUUID } from 'node:crypto'

import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
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
  const contactId = addCompany(account, address)
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
  await page.getByRole('button', { name: 'Collega', exact: true }).click()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()

  // A reminder of an overdue invoice, from the home: with it the insight is done.
  await page.goto('/home')
  await page.getByRole('button', { name: 'Sollecita' }).click()
  await page.getByRole('dialog', { name: 'Sollecito' }).getByRole('button', { name: 'Invia' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Allega il PDF della fattura').uncheck()
  // At whatever hour the tests run.
  await letter.getByLabel('Quando parte').selectOption('subito')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByRole('button', { name: 'Sollecita' })).toHaveCount(0)
  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 60_000 }).toBe(1)
  const [reminder] = await mailsTo(address)
  if (!reminder) throw new Error('no reminder')
  const subject = reminder.Subject

  await deliver(port, account.email, [
    `From: Carla Neri <${address}>`,
    `To: ${account.email}`,
    `Subject: R: ${subject}`,
    `Message-ID: <${randomUUID()}@example.com>`,
    `In-Reply-To: <${reminder.MessageID}>`,
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
  const thread = page.getByRole('region', { name: subject })
  await expect(thread.getByText('Pago domani.')).toBeVisible()
  await thread.getByRole('button', { name: 'Mostra formattata' }).click()
  await expect(page.frameLocator('iframe[title="Email formattata"]').getByText('domani')).toBeVisible()
  await expect(thread.getByRole('button', { name: 'Mostra immagini' })).toBeVisible()
  // axe sends messages into frames, which this one refuses.
  await thread.getByRole('button', { name: 'Mostra il testo' }).click()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  expect(
    ask(account, 'select count(*) from public.mail_threads where user_id = $1 and invoice_id is not null').trim(),
  ).toBe('1')

  await thread.getByRole('button', { name: 'Trasforma in' }).click()
  await page.getByRole('menuitem', { name: 'Attività' }).click()
  await expect(page.getByText('È tra le tue attività')).toBeVisible()

  // Days later an answer is due, until it is given.
  ask(account, "update public.mail_threads set last_at = now() - interval '10 days' where user_id = $1")
  const due = page.getByRole('list', { name: 'Da fare adesso' }).getByText('Rispondi a Neri srl')
  await page.goto('/home')
  await expect(due).toBeVisible()
  await page.goto('/crm?vista=posta')
  await expect(page.getByRole('button', { name: /Carla Neri/ })).toBeVisible()
  await page.keyboard.press('j')
  await expect(thread.getByRole('button', { name: 'Rispondi' })).toBeVisible()
  await page.keyboard.press('r')
  await expect(letter.getByLabel('Oggetto')).toHaveValue(`Re: ${subject}`)
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 60_000 }).toBe(2)
  await page.goto('/home')
  await expect(page.getByRole('heading', { name: 'Da fare adesso' })).toBeVisible()
  await expect(due).toHaveCount(0)
  await page.goto('/crm?vista=posta')
  await expect(page.getByText('Nessuna email aspetta una risposta')).toBeVisible()

  // A stranger becomes a contact.
  const stranger = `rossi-${randomUUID()}@example.com`
  await deliver(port, account.email, [`From: Ugo Rossi <${stranger}>`, 'Subject: Preventivo?', '', 'Quanto costa?'])
  await expect(async () => {
    await page.getByRole('button', { name: 'Aggiorna' }).click()
    await page.getByRole('button', { name: /Ugo Rossi/ }).click({ timeout: 4_000 })
  }).toPass({ timeout: 60_000 })
  await page.getByRole('region', { name: 'Mittente nuovo' }).getByRole('button', { name: 'Nuovo contatto' }).click()
  await page.getByRole('button', { name: 'Aggiungi contatto' }).click()
  await expect(page.getByRole('link', { name: 'Ugo Rossi' })).toBeVisible()
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText(/Pago domani/).first()).toBeVisible()
  // The conversation stands at the contact and at the invoice, and is found by a word.
  const conversation = page.getByRole('list', { name: 'Email' }).getByRole('link', { name: subject })
  await expect(conversation).toBeVisible()
  await page.goto(`/documents/${ask(account, 'select document_id from public.invoices where user_id = $1').trim()}`)
  await page.getByRole('button', { name: 'Dati e collegamenti' }).click()
  await expect(conversation).toBeVisible()
  await page.goto('/crm?vista=posta')
  await page.getByRole('searchbox', { name: 'Cerca nella posta' }).fill('domani')
  await expect(page.getByRole('list', { name: 'Email trovate' }).locator('mark')).toHaveText('domani')
  await expectAccessible(page)
})
