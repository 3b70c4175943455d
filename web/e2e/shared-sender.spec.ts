/** Without a mailbox: a new person writes tramite Socio, and the answer of the client stands in inbox and contact. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask } from './support/database'
import { mailsTo } from './support/mailbox'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// A mail waits ten seconds before it leaves.
test.slow()

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Sends a mail by SMTP to the product's own port. */
async function send(to: string, sender: string, lines: string[]): Promise<void> {
  const program = `
import smtplib, sys
with smtplib.SMTP("127.0.0.1", int(sys.argv[1]), timeout=60) as client:
    client.sendmail(sys.argv[2], [sys.argv[3]], sys.stdin.buffer.read())
`
  const options = ['-c', program, String(readStack().inbound_smtp_port), sender, to]
  const child = spawn('python', options, { cwd: root, stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.end(lines.join('\r\n'))
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
}

test('a new person writes tramite Socio, and the answer stands in inbox and contact', async ({ page, account }) => {
  const client = `neri-${randomUUID()}@example.com`
  const contactId = addCompany(account, client)
  const sender = 'Anna Bianchi tramite Socio <invio@socio.example>'

  await page.goto('/settings/channels')
  await expect(page.getByText(sender)).toBeVisible()
  await expectAccessible(page)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await expectNoSidewaysScroll(page)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })

  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const choice = page.getByRole('dialog', { name: 'Da dove vuoi scrivere?' })
  await expect(choice.getByText(sender)).toBeVisible()
  await expectAccessible(page)
  await choice.getByRole('button', { name: 'Invia tramite Socio' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await expect(letter.getByText(`Parte da ${sender}.`)).toBeVisible()
  await expect(letter.getByText('Per le campagne')).toBeVisible()
  await letter.getByLabel('Oggetto').fill('Sopralluogo di martedì')
  await letter.getByLabel('Testo').fill('Confermo per martedì alle 10.')
  await letter.getByLabel('Quando parte').selectOption('subito')
  await letter.getByText('Come la vede chi la riceve').click()
  await expect(letter.getByText(`Da: ${sender}`)).toBeVisible()
  await expectAccessible(page)
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Inviata tra 10 secondi')).toBeVisible()

  await expect.poll(async () => (await mailsTo(client)).length, { timeout: 60_000 }).toBe(1)
  const [mail] = await mailsTo(client)
  expect(mail?.From).toEqual({ Name: 'Anna Bianchi tramite Socio', Address: 'invio@socio.example' })
  const [own, answers] = mail?.ReplyTo ?? []
  expect(own).toEqual({ Name: 'Anna Bianchi', Address: account.email })
  expect(answers?.Address).toMatch(/^r\+[a-z2-7]{48}@in\.localhost$/)
  await expect
    .poll(() => ask(account, 'select state::text from public.outgoing_mails where user_id = $1').trim())
    .toBe('sent')

  await send(answers?.Address ?? '', client, [
    `From: Carla Neri <${client}>`,
    `To: ${account.email}, ${answers?.Address}`,
    'Subject: R: Sopralluogo',
    `Message-ID: <${randomUUID()}@example.com>`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Va bene, ti aspetto alle 10.',
  ])
  await page.goto('/crm?vista=posta')
  await expect(page.getByText('Qui arrivano le risposte alle email che invii tramite Socio')).toBeVisible()
  await page.getByRole('button', { name: /Va bene, ti aspetto/ }).click()
  await expect(page.getByText('Confermo per martedì alle 10.').first()).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText('Va bene, ti aspetto alle 10.').first()).toBeVisible()

  // A campaign needs a mailbox.
  await page.goto('/crm')
  await page.getByRole('button', { name: 'Scrivi' }).click()
  await expect(page.getByText('Per le campagne collega la tua casella')).toBeVisible()

  await page.goto('/settings/channels')
  await expect(page.getByText('Email che puoi ancora inviare oggi')).toBeVisible()
  await expect(page.getByText('49', { exact: true })).toBeVisible()
  await expectAccessible(page)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await expectNoSidewaysScroll(page)
    }
  }
  await page.getByRole('button', { name: 'Scollega' }).click()
  await expect(page.getByRole('button', { name: 'Invia tramite Socio' })).toBeVisible()
})
