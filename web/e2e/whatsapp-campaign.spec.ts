/** A template goes to several contacts by WhatsApp: who is left out, the price, the ticks, and many at once (CRM-37). */
import type { Page } from '@playwright/test'

import type { Account } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask, runJobs } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// The outbox and the statuses go through jobs, and a template is approved after a moment.
test.slow()

const BODY = 'Ciao {{nome}}, {{novita}}. A presto!'

/** Connects the number of the fake Meta, which approves a promotion. */
async function connect(page: Page): Promise<void> {
  await page.goto('/settings/channels')
  await page.getByText('Ho già un’app di Meta').click()
  await page.getByRole('button', { name: 'Usa il numero di prova' }).click()
  await page.getByRole('button', { name: 'Collega il numero' }).click()
  await expect(page.getByRole('button', { name: 'Controlla ora' })).toBeVisible()
  await page.getByRole('button', { name: 'Nuovo modello' }).click()
  await page.getByLabel(/^Nome, per esempio/).fill('novita')
  await page.getByLabel('Categoria').selectOption('MARKETING')
  await expect(page.getByText(/In fondo aggiungiamo come smettere/)).toBeVisible()
  await page.getByLabel(/^Testo, con i punti/).fill(BODY)
  await page.getByLabel('Esempio per nome').fill('Anna')
  await page.getByLabel('Esempio per novita').fill('da lunedì apriamo alle 8')
  await page.getByRole('button', { name: 'Proponi a Meta' }).click()
  await expect(page.getByText('Approvato', { exact: true })).toBeVisible({ timeout: 30_000 })
}

/** Adds a contact with a telephone number, who agreed to promotions or not. */
function add(account: Account, name: string, phone: string, hasAgreed = true): void {
  ask(
    account,
    `with made as (
       insert into public.contacts (user_id, type, first_name, last_name)
       values ($1, 'persona', '${name}', 'Prova') returning id
     )
     insert into public.contact_phones (user_id, contact_id, value, norm) select $1, id, '${phone}', '${phone}' from made`,
    hasAgreed
      ? `select private.set_consent($1, id, 'whatsapp', 'marketing', 'dato', null, null, 'Modulo')
         from public.contacts where user_id = $1 and first_name = '${name}'`
      : 'select $1::uuid',
  )
}

test('three who agreed get it, with their ticks; the others are left out with the reason', async ({
  page,
  account,
}) => {
  await connect(page)
  for (const [place, name] of ['Anna', 'Bruno', 'Carla'].entries()) add(account, name, `+39333000000${place}`)
  // The fake Meta refuses that number: nobody there has WhatsApp.
  add(account, 'Dario', '+39000131026')
  add(account, 'Elio', '+393330000005')
  add(account, 'Franca', '+393330000006', false)
  ask(
    account,
    `insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, last_at, stopped_at)
     select $1, contacts.id, 'whatsapp', portfolio, '393330000005', now(), now()
     from public.contacts, public.whatsapp_accounts as accounts
     where contacts.user_id = $1 and first_name = 'Elio' and accounts.user_id = $1`,
  )

  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: 'Invia a più persone' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invia su WhatsApp a più persone' })
  await dialog.getByLabel('A chi').selectOption('Tutti i contatti')
  await dialog.getByLabel('Modello').selectOption('novita')
  await expect(dialog.getByLabel('Al posto di «nome»')).toHaveValue('nome')
  await expect(dialog.getByRole('button', { name: 'Controlla chi lo riceve' })).toBeDisabled()
  await dialog.getByLabel('Testo per «novita»').fill('da lunedì apriamo alle 8')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Controlla chi lo riceve' }).click()

  await expect(dialog.getByText('Lo ricevono 4 contatti.')).toBeVisible()
  const excluded = dialog.getByRole('list', { name: 'Esclusi' })
  await expect(excluded.getByText(/Elio Prova: ha chiesto di non ricevere altri messaggi/)).toBeVisible()
  await expect(excluded.getByText(/Franca Prova: manca il consenso/)).toBeVisible()
  const preview = dialog.getByRole('group', { name: 'Anteprima' })
  await expect(preview).toContainText('Ciao Anna, da lunedì apriamo alle 8. A presto!')
  await expect(preview).toContainText('Rispondi STOP')
  await dialog.getByRole('button', { name: 'Successivo' }).click()
  await expect(preview).toContainText('Ciao Bruno')
  await expect(dialog.getByText('Costo con Meta: prezzo non noto.')).toBeVisible()
  await expect(dialog.getByText(/Oggi Meta ti lascia scrivere ancora a \d+ persone/)).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Invia a 4 contatti' }).click()

  await expect(page).toHaveURL(/\/crm\/invii$/)
  const row = page.getByRole('list', { name: 'Invii' }).getByRole('listitem').filter({ hasText: 'novita' }).first()
  await expect(row.getByText(/0 di 4 inviati · 4 in attesa · 2 esclusi/)).toBeVisible()
  // At whatever hour the test runs.
  ask(account, 'update public.whatsapp_messages set not_before = now() where user_id = $1')
  runJobs('whatsapp_outbox')
  await expect(row.getByText(/3 di 4 inviati · 3 consegnati · 3 letti · 1 non riuscito · 2 esclusi/)).toBeVisible({
    timeout: 90_000,
  })
  await row.getByRole('button', { name: /^Contatti/ }).click()
  const contacts = row.getByRole('list', { name: 'Contatti dell’invio' })
  await expect(contacts.getByText('Letto')).toHaveCount(3)
  await expect(contacts.getByText(/Non inviato: Il messaggio non può essere consegnato/)).toBeVisible()
  const download = page.waitForEvent('download')
  await row.getByRole('button', { name: 'Scarica chi non l’ha ricevuto' }).click()
  expect((await download).suggestedFilename()).toBe('non-ricevuto.csv')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  // It is in the history of the contact.
  await contacts.getByRole('link', { name: 'Anna Prova' }).click()
  await expect(page.getByText('Ciao Anna, da lunedì apriamo alle 8. A presto!').first()).toBeVisible()
})

test('more than a hundred are typed, wait ten minutes and can be cancelled', async ({ page, account }) => {
  await connect(page)
  ask(
    account,
    `with made as (
       insert into public.contacts (user_id, type, first_name, last_name)
       select $1, 'persona', 'Cliente', n::text from generate_series(100, 200) as n returning id, last_name
     )
     insert into public.contact_phones (user_id, contact_id, value, norm)
     select $1, id, '+393331000' || last_name, '+393331000' || last_name from made`,
    `select count(private.set_consent($1, id, 'whatsapp', 'marketing', 'dato', null, null, 'Modulo'))
     from public.contacts where user_id = $1`,
  )
  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: 'Invia a più persone' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invia su WhatsApp a più persone' })
  await dialog.getByLabel('A chi').selectOption('Tutti i contatti')
  await dialog.getByLabel('Modello').selectOption('novita')
  await dialog.getByLabel('Testo per «novita»').fill('siamo aperti')
  await dialog.getByRole('button', { name: 'Controlla chi lo riceve' }).click()
  const send = dialog.getByRole('button', { name: 'Invia a 101 contatti' })
  await expect(send).toBeDisabled()
  await dialog.getByLabel('Sono tanti: scrivi 101 per confermare').fill('101')
  await send.click()
  await expect(page.getByText(/Parte tra dieci minuti/)).toBeVisible()
  const row = page.getByRole('list', { name: 'Invii' }).getByRole('listitem').first()
  await expect(row.getByText(/101 in attesa/)).toBeVisible()
  runJobs('whatsapp_outbox')
  await row.getByRole('button', { name: /^Annulla tutto/ }).click()
  await expect(row.getByText(/0 di 101 inviati · annullato/)).toBeVisible()
  expect(
    ask(
      account,
      "select string_agg(distinct state::text, ' ') from public.whatsapp_messages where user_id = $1",
    ).trim(),
  ).toBe('cancelled')
})

test('it is planned for a day and hour, and starts only if its template may still go', async ({ page, account }) => {
  await connect(page)
  add(account, 'Anna', '+393330000001')
  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: 'Invia a più persone' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invia su WhatsApp a più persone' })
  await dialog.getByLabel('A chi').selectOption('Tutti i contatti')
  await dialog.getByLabel('Modello').selectOption('novita')
  await dialog.getByLabel('Testo per «novita»').fill('siamo aperti')
  await dialog.getByLabel('Quando parte').selectOption('tardi')
  const check = dialog.getByRole('button', { name: 'Controlla chi lo riceve' })
  await expect(check).toBeDisabled()
  // A Thursday; the year after, so that it is never past.
  const year = new Date().getFullYear() + 1
  const day = new Date(Date.UTC(year, 2, 10))
  while (day.getUTCDay() !== 4) day.setUTCDate(day.getUTCDate() + 1)
  await dialog.getByLabel('Giorno e ora').fill(`${day.toISOString().slice(0, 10)}T10:30`)
  await expect(dialog.getByText(/Parte .*10:30/)).toBeVisible()
  await expectAccessible(page)
  await check.click()
  await expect(dialog.getByText(/Parte .*10:30/)).toBeVisible()
  await expect(dialog.getByText(/Quel giorno Meta ti lascia scrivere/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Programma l’invio a 1 contatto' }).click()
  await expect(page.getByText(/Invio programmato/)).toBeVisible()
  const row = page.getByRole('list', { name: 'Invii' }).getByRole('listitem').first()
  await expect(row.getByText(/1 in attesa\. Parte .*10:30/)).toBeVisible()
  runJobs('whatsapp_outbox')

  // The day has come; meanwhile Meta has stopped the templates of the number.
  ask(
    account,
    `with stopped as (
       update public.whatsapp_accounts set templates_stopped_until = now() + interval '1 hour' where user_id = $1
     )
     update public.whatsapp_messages set not_before = now() where user_id = $1`,
  )
  runJobs('whatsapp_outbox')
  await page.reload()
  await expect(row.getByText('In pausa. Meta ha fermato i modelli di questo numero.')).toBeVisible({ timeout: 30_000 })
  ask(account, 'update public.whatsapp_accounts set templates_stopped_until = null where user_id = $1')
  await row.getByRole('button', { name: /^Riprendi/ }).click()
  await expect(page.getByText('L’invio riprende')).toBeVisible()
  ask(account, 'update public.whatsapp_messages set not_before = now() where user_id = $1')
  runJobs('whatsapp_outbox')
  await expect(row.getByText(/1 di 1 inviati/)).toBeVisible({ timeout: 60_000 })
})
