/** «Recupero crediti» in the assistant's words: chosen with its price, paid once, stopped by its cap, approved, sent (AGENT). */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask, runJobs } from './support/database'
import { daysFromNow } from './support/days'
import { mailsTo } from './support/mailbox'
import { modelGoesOn, modelSays } from './support/model'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

// One after the other: the model has one script.
test.describe.configure({ mode: 'default' })
test.use({ persona: 'member', usesModel: true })
// A mail waits ten seconds before it leaves.
test.slow()

const content = readFileSync(new URL('../../tests/vectors/fattura_content.json', import.meta.url), 'utf8')
const WORDS = 'Buongiorno, le scrivo per la fattura che risulta ancora aperta. Mi fa sapere quando pensa di pagarla?'

test('reminders in the assistant’s words are paid once and stop at their cap', async ({ page, account }) => {
  const addresses = ['neri', 'verdi'].map((name) => `${name}-${randomUUID()}@example.com`)
  for (const address of addresses) {
    const contactId = ask(
      account,
      `insert into public.contacts (user_id, type, business_name)
       values ($1, 'azienda', initcap(split_part('${address}', '-', 1)) || ' srl') returning id::text`,
    ).trim()
    ask(
      account,
      `insert into public.contact_emails (user_id, contact_id, value) values ($1, '${contactId}', '${address}')`,
    )
    await addInvoices(account, [
      { issued_on: daysFromNow(-70), total_cents: 122_000, due_on: daysFromNow(-40), contact_id: contactId },
    ])
  }
  ask(
    account,
    `update public.invoices set content = '${content.replaceAll("'", "''")}'::text::jsonb where user_id = $1
     and contact_id in (select id from public.contacts where business_name = 'Neri srl')`,
  )
  await page.goto('/settings/channels')
  await page.getByLabel('Server SMTP').fill('127.0.0.1')
  await page.getByLabel('Porta', { exact: true }).fill(String(readStack().mailbox_smtp_port))
  await page.getByLabel('Collegamento').selectOption('starttls')
  await page.getByLabel('Password della casella').fill('una password')
  await page.getByRole('button', { name: 'Collega', exact: true }).click()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()

  // The choice with its price, and the consent that it needs.
  await page.goto('/projects?vista=obiettivi&mandato=recupero_crediti')
  await expect(page.getByRole('radio', { name: /Modelli di Socio · gratis/ })).toBeChecked()
  await page.getByRole('radio', { name: /con il tuo tono · 1 credito l’uno/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Chi scrive i solleciti' })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Va bene' }).click()
  await expect(page.getByRole('radio', { name: /con il tuo tono/ })).toBeChecked()
  await page.getByLabel('Al massimo crediti').fill('1')
  await page.getByLabel('Il tuo tono (facoltativo)').fill('frasi brevi')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await modelSays({ text: `Oggetto: Due righe sulla fattura\n\n${WORDS}`, stall_after: 14 })
  await page.getByRole('button', { name: 'Dai il mandato e attiva' }).click()
  await expect(page.getByText('scritti dall’assistente a 1 credito l’uno, al massimo 1 credito')).toBeVisible()

  // It is seen while it is written.
  await expect(page.getByRole('list', { name: 'In scrittura' })).toContainText('Buongiorno', { timeout: 60_000 })
  await expectAccessible(page)
  await modelSays({ text: `Oggetto: Due righe sulla fattura\n\n${WORDS}` })
  await modelGoesOn()
  const queue = page.getByRole('list', { name: 'Da approvare: Recupero crediti' })
  await expect(queue).toContainText('Scritto dall’assistente', { timeout: 30_000 })
  await queue.getByText('Leggi il messaggio').click()
  await expect(queue.getByLabel('Testo')).toHaveValue(/^Buongiorno, [^]*\n\n- fattura n\. [^]*1\.220,00 €/)
  await expect(queue).toContainText('testo (modello)')
  const taken = () => ask(account, 'select sum(captured)::text from public.credit_holds where user_id = $1').trim()
  expect(taken()).toBe('1')

  // The other waits for credits.
  await expect(page.getByText('1 di 1 credito')).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approva 1 · 1.220,00 €' }).click()
  await expect(page.getByText('Aspetta altri crediti')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(/^Oggi: 1 cosa fatta, 1 credito$/)).toBeVisible({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Continua con un altro' }).click()
  await expect(page.getByText('2 di 2 crediti')).toBeVisible({ timeout: 60_000 })
  await expect(queue).toContainText('Scritto dall’assistente')
  expect(taken()).toBe('2')
  await page.getByRole('button', { name: 'Approva 1 · 1.220,00 €' }).click()
  await expect(queue).toBeHidden()
  await expect
    .poll(() => ask(account, "select count(*) from public.goal_steps where user_id = $1 and state = 'fatto'").trim(), {
      timeout: 30_000,
    })
    .toBe('2')
  // It may be night.
  ask(account, 'update public.outgoing_mails set not_before = now() where user_id = $1')
  await expect
    .poll(
      async () => {
        runJobs('mail_outbox')
        return (await mailsTo(addresses[0] ?? '')).map(({ Subject, Text }) => [Subject, Text.includes(WORDS)])
      },
      { timeout: 60_000 },
    )
    .toEqual([['Due righe sulla fattura', true]])
  expect(taken()).toBe('2')
})
