/** «Recupero crediti»: rehearsed, mandated, approved, sent with its PDF, stopped by a payment, proved by the log. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask, runJobs } from './support/database'
import { daysFromNow } from './support/days'
import { mailsTo } from './support/mailbox'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// A mail waits ten seconds before it leaves.
test.slow()

const content = readFileSync(new URL('../../tests/vectors/fattura_content.json', import.meta.url), 'utf8')

const EIGHT_DAYS = [
  'update public.invoices set issued_on = issued_on - 8 where user_id = $1',
  'update public.invoice_schedules set due_on = due_on - 8 where user_id = $1',
  "update public.outgoing_mails set created_at = created_at - interval '8 days' where user_id = $1",
  "update public.goal_steps set created_at = created_at - interval '8 days', done_at = done_at - interval '8 days' where user_id = $1",
  'update public.goals set next_run_at = now() where user_id = $1',
]

test('an agent reminds a client until the invoice is paid @journey', async ({ page, account, elsewhere }) => {
  const address = `neri-${randomUUID()}@example.com`
  const contactId = addCompany(account, address)
  await addInvoices(account, [
    { issued_on: daysFromNow(-70), total_cents: 122_000, due_on: daysFromNow(-40), contact_id: contactId },
  ])
  ask(
    account,
    `update public.invoices set content = '${content.replaceAll("'", "''")}'::text::jsonb where user_id = $1`,
  )
  await page.goto('/settings/channels')
  await page.getByLabel('Server SMTP').fill('127.0.0.1')
  await page.getByLabel('Porta', { exact: true }).fill(String(readStack().mailbox_smtp_port))
  await page.getByLabel('Collegamento').selectOption('starttls')
  await page.getByLabel('Password della casella').fill('una password')
  await page.getByRole('button', { name: 'Collega', exact: true }).click()
  await expect(page.getByText('Ultimo invio o accesso riuscito')).toBeVisible()

  await page.getByText('Ho già un’app di Meta').click()
  await page.getByRole('button', { name: 'Usa il numero di prova' }).click()
  await page.getByRole('button', { name: 'Collega il numero' }).click()
  await expect(page.getByRole('button', { name: 'Controlla ora' })).toBeVisible()
  ask(
    account,
    `insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, '${contactId}', '333 123 4567', '+393331234567')`,
    `select private.set_consent($1, '${contactId}', 'whatsapp', 'servizio', 'dato', null, null, 'Contratto')`,
  )

  await page.goto('/home')
  await page.getByRole('link', { name: 'Prova Recupero crediti' }).click()
  await expect(page.getByText('Avrei mandato 4 solleciti a 1 cliente.')).toBeVisible()
  expect(ask(account, 'select count(*) from public.goals where user_id = $1').trim()).toBe('0')
  await page.getByRole('checkbox', { name: /Chiedi anche interessi di mora/ }).check()
  await page.getByRole('checkbox', { name: 'Email, poi WhatsApp' }).check()
  await page.getByRole('button', { name: 'Proponi il modello a Meta' }).click()
  await expect(page.getByText('Il modello «promemoria_pagamento» è approvato.')).toBeVisible({ timeout: 30_000 })
  await page.getByRole('checkbox', { name: 'PEC per l’ultimo sollecito' }).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Dai il mandato e attiva' }).click()
  await expect(page.getByRole('status').getByText('Attivo', { exact: true })).toBeVisible()
  await expect(page.getByText('per email, poi WhatsApp, l’ultimo per PEC')).toBeVisible()
  await expect(page.getByText('con gli interessi di mora nell’ultimo sollecito')).toBeVisible()

  const queue = page.getByRole('list', { name: 'Da approvare: Recupero crediti' })
  await expect(queue).toContainText('Sollecito a Neri srl', { timeout: 30_000 })
  await expect(queue).toContainText('Regola E-01')
  await queue.getByText('Leggi il messaggio').click()
  await expect(queue.getByLabel('Testo')).toHaveValue(/^Spett\.le Neri srl/)
  await queue.getByLabel('Oggetto').fill('Due righe sulla fattura')
  await queue.getByRole('button', { name: 'Salva il messaggio' }).click()
  await expect(page.getByText('Messaggio cambiato')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  // On a second device, with a session of its own, it is shown as it happens.
  const second = await elsewhere()
  await second.goto('/projects?vista=obiettivi')
  await second.getByLabel('Email').fill(account.email)
  await second.getByLabel('Password', { exact: true }).fill(account.password)
  await second.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(second.getByRole('list', { name: 'Da approvare: Recupero crediti' })).toBeVisible()
  await page.getByRole('button', { name: 'Approva 1 · 1.220,00 €' }).click()
  await expect(second.getByRole('list', { name: 'Da approvare: Recupero crediti' })).toBeHidden()
  const done = second.getByRole('list', { name: 'Che cosa ha fatto' })
  await expect(done).toContainText('Inviato', { timeout: 30_000 })
  // It may be night.
  ask(account, 'update public.outgoing_mails set not_before = now() where user_id = $1')
  await expect
    .poll(
      async () => {
        runJobs('mail_outbox')
        return (await mailsTo(address)).length
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  const [mail] = await mailsTo(address)
  expect(mail?.Subject).toBe('Due righe sulla fattura')
  expect(mail?.Text).toContain('Risulta ancora da saldare')
  expect(mail?.Attachments.map(({ ContentType }) => ContentType)).toEqual(['application/pdf'])

  ask(account, ...EIGHT_DAYS)
  runJobs('goals')
  await expect(queue).toContainText('A +393331234567, su WhatsApp, tono deciso', { timeout: 30_000 })
  await queue.getByText('Leggi il messaggio').click()
  await expect(queue.getByText(/^Gentile Neri srl, le ricordo un pagamento ancora aperto: fattura/)).toBeVisible()
  const seen = second.getByRole('list', { name: 'Da approvare: Recupero crediti' })
  await expect(seen).toContainText('su WhatsApp')
  // Paid meanwhile: the next reminder does not go.
  await page.goto('/documents/fatture?tipo=attive')
  await page
    .getByRole('button', { name: /incassata/i })
    .first()
    .click()
  await expect
    .poll(() => ask(account, 'select count(*) from public.invoices where user_id = $1 and paid_on is not null').trim())
    .toBe('1')
  await page.goto('/projects?vista=obiettivi')
  await expect(page.getByRole('list', { name: 'Che cosa ha fatto' })).toContainText('Ritirato')
  await expect(page.getByText('Da approvare:')).toBeHidden()
  await expect(page.getByText('catena verificata ✓')).toBeVisible()
  await page.getByRole('button', { name: 'Ferma tutto' }).click()
  await expect(page.getByRole('status').getByText('Fermo', { exact: true })).toBeVisible()
  expect(await mailsTo(address)).toHaveLength(1)
  await expect(seen).toBeHidden()
  await expect(second.getByRole('status').getByText('Fermo', { exact: true })).toBeVisible()
  await page.goto('/home')
  await expect(page.getByRole('list', { name: 'Obiettivi attivi' })).toContainText('Recupero crediti')
})

test('duplicate contacts are merged with a yes, and parted again @journey', async ({ page, account }) => {
  ask(
    account,
    `insert into public.contacts (user_id, type, business_name, vat_number, created_at)
      select $1, 'azienda', name, '12345678903', now() - age
      from (values ('Bianchi srl', interval '2 days'), ('Bianchi s.r.l.', interval '1 day')) as twins (name, age)`,
  )
  await page.goto('/projects?vista=obiettivi')
  await page.getByRole('link', { name: 'Prova e attiva: Pulizia contatti' }).click()
  await expect(page.getByText('Avrei proposto 1 modifica.')).toBeVisible()
  await expectAccessible(page)
  await page.getByText('Assistita', { exact: true }).click()
  await page.getByRole('button', { name: 'Dai il mandato e attiva' }).click()
  await expect(page.getByRole('heading', { name: 'I tuoi agenti' })).toBeVisible()
  const queue = page.getByRole('list', { name: 'Da approvare: Pulizia contatti' })
  await expect(queue).toContainText('stessa partita IVA', { timeout: 30_000 })
  await expect(page.getByText('Aspetta il tuo sì per 1 proposta.')).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approva 1' }).click()
  await expect(queue).toBeHidden()
  await page.getByRole('link', { name: 'Vedi o annulla' }).click({ timeout: 30_000 })
  await page
    .getByRole('button', { name: /annulla/i })
    .first()
    .click()
  await expect
    .poll(() => ask(account, 'select count(*) from public.contacts where user_id = $1 and merged_into is null').trim())
    .toBe('2')
})
