/** A person connects a mail account, sends reminders and letters from it, and takes one back. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { Page } from '@playwright/test'

import { type Account, addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { daysFromNow } from './support/days'
import { mailsTo } from './support/mailbox'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// Each mail waits ten seconds before it leaves.
test.slow()

const content = readFileSync(new URL('../../tests/vectors/fattura_content.json', import.meta.url), 'utf8')

/** A client with an address of their own, who owes an electronic invoice. */
async function addClient(account: Account): Promise<{ contactId: string; address: string }> {
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
    {
      issued_on: daysFromNow(-53),
      total_cents: 122_000,
      due_on: daysFromNow(-23),
      contact_id: contactId,
    },
  ])
  ask(
    account,
    `update public.invoices set content = '${content.replaceAll("'", "''")}'::text::jsonb where user_id = $1`,
  )
  return { contactId, address }
}

async function connect(page: Page): Promise<void> {
  await page.goto('/settings')
  await page.getByRole('link', { name: /^Canali/ }).click()
  await page.getByLabel('Server SMTP').fill('127.0.0.1')
  await page.getByLabel('Porta').fill(String(readStack().mailbox_smtp_port))
  await page.getByLabel('Collegamento').selectOption('starttls')
  await page.getByLabel('Password della casella').fill('una password')
  await page.getByLabel('Firma').fill('Anna Bianchi')
  await page.getByRole('button', { name: 'Collega' }).click()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()
}

test('an account is connected, tried and disconnected', async ({ page, account, console }) => {
  console.allow(/mail_account/)
  await page.goto('/settings/channels')
  await page.getByRole('button', { name: 'Gmail' }).click()
  await expect(page.getByLabel('Server SMTP')).toHaveValue('smtp.gmail.com')
  await expect(page.getByText('password per le app')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await connect(page)
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  const before = (await mailsTo(account.email)).length
  // The server asks for a moment between two sign-ins.
  await expect(async () => {
    await page.getByRole('button', { name: 'Prova ora' }).click()
    await expect(page.getByText('E-mail di prova inviata')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expect.poll(async () => (await mailsTo(account.email)).length).toBe(before + 1)
  await page.getByRole('button', { name: 'Scollega' }).click()
  await expect(page.getByLabel('Server SMTP')).toBeVisible()
  expect(
    ask(
      account,
      'select count(*) from private.mail_secrets join public.mail_accounts on id = account_id where user_id = $1',
    ).trim(),
  ).toBe('0')
})

test('a reminder leaves once with the invoice, and the timeline shows it', async ({ page, account }) => {
  const { contactId, address } = await addClient(account)
  await connect(page)
  await page.goto('/home')
  await page.getByRole('button', { name: 'Sollecita' }).click()
  const reminder = page.getByRole('dialog', { name: 'Sollecito' })
  await reminder.getByRole('button', { name: 'Invia' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await expect(letter.getByLabel('Allega il PDF della fattura')).toBeChecked()
  await expect(letter.getByLabel('A', { exact: true })).toHaveValue(address)
  await expectAccessible(page)
  await letter.getByRole('button', { name: 'Invia' }).dblclick()
  await expect(page.getByText('Inviata tra 10 secondi')).toBeVisible()
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText('E-mail in coda')).toBeVisible()

  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 60_000 }).toBe(1)
  const [mail] = await mailsTo(address)
  expect(mail?.Text).toContain('Anna Bianchi')
  expect(mail?.Attachments.map(({ ContentType }) => ContentType)).toEqual(['application/pdf'])
  expect(`<${mail?.MessageID}>`).toBe(
    ask(account, 'select message_id from public.outgoing_mails where user_id = $1').trim(),
  )
  await expect(page.getByText('E-mail in coda')).toBeHidden({ timeout: 40_000 })
  await expect(page.getByText(/Spett\.le Neri srl/)).toBeVisible()
  expect(ask(account, 'select count(*) from public.outgoing_mails where user_id = $1').trim()).toBe('1')
})

test('«Annulla» sends nothing', async ({ page, account, console }) => {
  console.allow(/send_mail/)
  const { contactId, address } = await addClient(account)
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('link', { name: 'Collega la tua e-mail' }).click()
  await expect(page).toHaveURL(/\/settings\/channels$/)
  await connect(page)
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Oggetto').fill('Un saluto')
  await letter.getByLabel('Testo').fill('Ciao {{nome}}')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Nel testo c’è un punto da completare')).toBeVisible()
  await letter.getByLabel('Testo').fill('Buongiorno')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(page.getByText('E-mail annullata')).toBeVisible()
  expect(ask(account, 'select state::text from public.outgoing_mails where user_id = $1').trim()).toBe('cancelled')
  // Its job has come and gone.
  await expect
    .poll(
      () =>
        ask(
          account,
          "select count(*) from jobs.pgqueuer where entrypoint = 'mail_outbox' and position($1::uuid::text in convert_from(payload, 'utf8')) > 0",
        ).trim(),
      { timeout: 60_000 },
    )
    .toBe('0')
  expect(await mailsTo(address)).toEqual([])
})
