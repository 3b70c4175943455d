/** A person connects Outlook by its login, sends and receives there, loses the login, and connects it again. */
import { randomUUID } from 'node:crypto'

import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask, runJobs } from './support/database'
import { mailsTo } from './support/mailbox'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// A mail waits ten seconds before it leaves.
test.slow()

/** Answers at the provider's page. */
async function decide(page: Page, address: string, answer = 'Consenti'): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Accesso di prova' })).toBeVisible()
  await page.getByLabel('Casella').fill(address)
  await page.getByRole('button', { name: answer }).click()
  await expect(page).toHaveURL(/\/settings\/channels$/)
}

/** Has the mailbox get a mail. */
async function deliver(sender: string, subject: string): Promise<void> {
  const url = process.env.SOCIO_MAIL_SANDBOX?.split(' ')[0]
  const lines = [
    `From: <${sender}>`,
    `Subject: ${subject}`,
    `Message-ID: <${randomUUID()}@example.com>`,
    `Date: ${new Date().toUTCString()}`,
  ]
  await fetch(`${url}/mail`, { method: 'POST', body: [...lines, '', 'A martedì.', ''].join('\r\n') })
}

async function expectFits(page: Page): Promise<void> {
  await expectAccessible(page)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await expectNoSidewaysScroll(page)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

test('Outlook is connected by its login, sends, shows a new mail at once, expires and is connected again', async ({
  page,
  account,
  console,
}) => {
  // Refusals of this function are what is tested.
  console.allow(/mail_login/)
  const client = `neri-${randomUUID()}@example.com`
  const mine = `anna-${randomUUID()}@outlook.example`
  const contactId = addCompany(account, client)
  await page.goto('/settings/channels')
  // Google is not set up here.
  await expect(page.getByRole('button', { name: 'Collega Gmail' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Outlook', exact: true }).click()
  await expect(page.getByText('Qui non serve la password: usa «Collega Outlook»')).toBeVisible()
  await expect(page.getByLabel('Password della casella')).toHaveCount(0)
  await page.getByRole('button', { name: 'Aruba', exact: true }).click()
  await page.getByRole('button', { name: 'Collega Outlook' }).click()
  await decide(page, mine, 'Rifiuta')
  await expect(page.getByText('Non hai dato il permesso: la casella di Outlook non è collegata')).toBeVisible()
  await expectFits(page)

  await expect(async () => {
    await page.getByRole('button', { name: 'Collega Outlook' }).click()
    await expect(page.getByRole('heading', { name: 'Accesso di prova' })).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await decide(page, mine)
  await expect(page.getByText(`${mine}, con l’accesso di Outlook`)).toBeVisible()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()
  await expectFits(page)

  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Oggetto').fill('Sopralluogo di martedì')
  await letter.getByLabel('Testo').fill('Confermo per martedì alle 10.')
  await letter.getByLabel('Quando parte').selectOption('subito')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(letter).toBeHidden()
  await expect
    .poll(
      async () => {
        runJobs('mail_outbox')
        return (await mailsTo(client)).map((mail) => mail.From.Address)
      },
      { timeout: 60_000, intervals: [3_000] },
    )
    .toEqual([mine])

  // The mailbox is listened to while the page is open.
  await expect
    .poll(() => ask(account, "select count(*) from private.leases where user_id = $1 and name = 'mail idle'").trim(), {
      timeout: 60_000,
      intervals: [1_000],
    })
    .toBe('1')
  await page.goto('/crm?vista=posta')
  await expect(page.getByText('Nessuna email aspetta una risposta')).toBeVisible()
  const tellsAt = Date.now()
  await deliver(client, 'Va bene martedì')
  await expect(page.getByText('Va bene martedì').first()).toBeVisible()
  test.info().annotations.push({ type: 'new mail on screen after (ms)', description: String(Date.now() - tellsAt) })

  ask(
    account,
    'select private.expire_mail_login($1, sealed) from private.mail_secrets join public.mail_accounts on id = account_id where user_id = $1',
  )
  await page.goto('/settings/channels')
  await expect(page.getByText('Accesso scaduto: ricollega Outlook')).toBeVisible()
  await expectFits(page)
  await page.getByRole('button', { name: 'Ricollega Outlook' }).click()
  await decide(page, `altra-${mine}`)
  await expect(page.getByText(`ma è collegata ${mine}`)).toBeVisible()
  await expectFits(page)
  await expect(async () => {
    await page.getByRole('button', { name: 'Ricollega Outlook' }).click()
    await expect(page.getByLabel('Casella')).toHaveValue(mine, { timeout: 2_000 })
  }).toPass()
  await decide(page, mine)
  await expect(page.getByText('Casella collegata')).toBeVisible()
  await expect(page.getByText('Accesso scaduto')).toHaveCount(0)
})
