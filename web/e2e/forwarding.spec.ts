/** Without connecting a mailbox: mails forwarded or copied to a person's address stand in inbox and contact. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
test.slow()

const root = fileURLToPath(new URL('../..', import.meta.url))
const REFUSED = 3

/** Sends a mail by SMTP to the product's own port; answers whether the recipient was accepted. */
async function send(to: string, sender: string, lines: string[]): Promise<boolean> {
  const program = `
import smtplib, sys
with smtplib.SMTP("127.0.0.1", int(sys.argv[1]), timeout=60) as client:
    try:
        client.sendmail(sys.argv[2], [sys.argv[3]], sys.stdin.buffer.read())
    except smtplib.SMTPRecipientsRefused:
        sys.exit(${REFUSED})
`
  const options = ['-c', program, String(readStack().inbound_smtp_port), sender, to]
  const child = spawn('python', options, { cwd: root, stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.end(lines.join('\r\n'))
  const status = await new Promise((resolve) => child.on('exit', resolve))
  expect([0, REFUSED]).toContain(status)
  return status === 0
}

test('mails forwarded and copied to the address are in inbox and contact, until it is changed', async ({
  page,
  account,
}) => {
  const client = `neri-${randomUUID()}@example.com`
  const contactId = addCompany(account, client)

  await page.goto('/crm?vista=posta')
  await page.getByRole('link', { name: 'Inoltra le email a un indirizzo di Socio' }).click()
  await page.getByRole('button', { name: 'Crea indirizzo' }).click()
  const field = page.getByLabel('Indirizzo per inoltrare')
  await expect(field).toHaveText(/^u\+[a-z2-7]{32}@in\.localhost$/)
  const address = await field.innerText()
  await expect(page.getByText('Ancora nessuna: inoltra un’email per provare')).toBeVisible()
  await expectAccessible(page)

  const forward = [
    `From: Io <${account.email}>`,
    `To: ${address}`,
    'Subject: I: Preventivo del bagno',
    `Message-ID: <${randomUUID()}@studio.example>`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Da sentire domani',
    '',
    '---------- Forwarded message ---------',
    `Da: Anna Neri <${client}>`,
    'Date: ven 27 nov 2026 alle ore 10:15',
    'Subject: Preventivo del bagno',
    `To: <${account.email}>`,
    '',
    'Accetto il preventivo: quando si comincia?',
  ]
  expect(await send(address, account.email, forward)).toBe(true)
  const copy = [
    `From: Io <${account.email}>`,
    `To: Anna Neri <${client}>`,
    'Subject: Date dei lavori',
    `Message-ID: <${randomUUID()}@studio.example>`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Si comincia lunedì.',
  ]
  expect(await send(address, account.email, copy)).toBe(true)

  await page.goto('/crm?vista=posta')
  await expect(page.getByText('Qui arrivano le email che inoltri a')).toBeVisible()
  await page.getByRole('button', { name: /Preventivo del bagno/ }).click()
  const mail = page.getByRole('article').filter({ hasText: 'Accetto il preventivo' })
  await expect(mail.getByText('Anna Neri', { exact: true })).toBeVisible()
  await expect(mail.getByText('Inoltrata da te: il mittente e la data non sono verificati.')).toBeVisible()
  await expectAccessible(page)

  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText('Accetto il preventivo').first()).toBeVisible()
  await expect(page.getByText('Si comincia lunedì').first()).toBeVisible()

  await page.goto('/settings/channels')
  await expect(page.getByText(/^2, l’ultima/)).toBeVisible()
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
  }
  // The server asks for a moment between two addresses.
  await expect(async () => {
    await page.getByRole('button', { name: 'Cambia indirizzo' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cambia indirizzo' }).click()
    await expect(page.getByText('Indirizzo cambiato')).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await expect(field).not.toHaveText(address)
  expect(await send(address, account.email, copy)).toBe(false)

  await page.getByRole('button', { name: 'Disattiva' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Disattiva' }).click()
  await expect(page.getByRole('button', { name: 'Crea indirizzo' })).toBeVisible()
  await page.goto('/crm?vista=posta')
  await expect(page.getByRole('button', { name: /Preventivo del bagno/ })).toBeVisible()
})
