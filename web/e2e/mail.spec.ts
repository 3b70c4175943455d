/** A person connects a mail account, sends reminders and letters from it, and takes one back. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { Page } from '@playwright/test'

import { type Account, addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask, runJobs } from './support/database'
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
  const contactId = addCompany(account, address)
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
  await page.getByLabel('Porta', { exact: true }).fill(String(readStack().mailbox_smtp_port))
  await page.getByLabel('Collegamento').selectOption('starttls')
  await page.getByLabel('Password della casella').fill('una password')
  await page.getByLabel('Firma').fill('Anna Bianchi')
  await page.getByRole('button', { name: 'Collega', exact: true }).click()
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
    await expect(page.getByText('Email di prova inviata')).toBeVisible({ timeout: 2_000 })
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
  // At whatever hour the tests run.
  await letter.getByLabel('Quando parte').selectOption('subito')
  await letter.getByRole('button', { name: 'Invia' }).dblclick()
  await expect(page.getByText('Inviata tra 10 secondi')).toBeVisible()
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText('Email in coda')).toBeVisible()

  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 60_000 }).toBe(1)
  const [mail] = await mailsTo(address)
  expect(mail?.Text).toContain('Anna Bianchi')
  expect(mail?.Attachments.map(({ ContentType }) => ContentType)).toEqual(['application/pdf'])
  expect(`<${mail?.MessageID}>`).toBe(
    ask(account, 'select message_id from public.outgoing_mails where user_id = $1').trim(),
  )
  await expect(page.getByText('Email in coda')).toBeHidden({ timeout: 40_000 })
  await expect(page.getByText(/Spett\.le Neri srl/).first()).toBeVisible()
  expect(ask(account, 'select count(*) from public.outgoing_mails where user_id = $1').trim()).toBe('1')
})

test('«Annulla» sends nothing', async ({ page, account }) => {
  const { contactId, address } = await addClient(account)
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  await page.getByRole('link', { name: 'Collega la tua casella' }).click()
  await expect(page).toHaveURL(/\/settings\/channels$/)
  await connect(page)
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Oggetto').fill('Un saluto')
  await letter.getByLabel('Testo').fill('Ciao {{nome}}')
  await letter.getByLabel('Quando parte').selectOption('subito')
  await expect(letter.getByRole('button', { name: 'Invia' })).toHaveCount(0)
  await expect(letter.getByText('Da completare prima di inviare: nome.')).toBeVisible()
  await letter.getByLabel('Testo').fill('Buongiorno')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(page.getByText('Email annullata')).toBeVisible()
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

test('a template is written, used on a late invoice, completed and sent', async ({ page, account, console }) => {
  // A name that is taken.
  console.allow(/409/)
  const { contactId } = await addClient(account)
  await connect(page)
  await page.getByRole('button', { name: 'Sollecito gentile' }).click()
  const editor = page.getByRole('dialog', { name: 'Nuovo modello' })
  await editor.getByLabel('Oggetto').press('End')
  await editor.getByRole('button', { name: 'Inserisci un dato nell’oggetto' }).press('Enter')
  await page.getByRole('menuitem', { name: /^Cognome/ }).press('Enter')
  await expect(editor.getByLabel('Oggetto')).toBeFocused()
  await page.keyboard.type(' {{colore}}')
  await expect(editor.getByLabel('Oggetto')).toHaveValue('Promemoria: fattura {{numero fattura}}{{cognome}} {{colore}}')
  await expect(editor.getByText('lo completerai tu ogni volta: colore.')).toBeVisible()
  await editor.getByText('Come la vede chi la riceve').click()
  await expect(editor.getByText('Promemoria: fattura 12/2026Neri {{colore}}')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await editor.getByRole('button', { name: 'Salva' }).click()
  const list = page.getByRole('list', { name: 'Modelli di email' })
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Nuovo modello' }).click()
  await page.getByRole('menuitem', { name: 'Da zero' }).click()
  await editor.getByLabel('Nome').fill('  SOLLECITO  gentile')
  await editor.getByLabel('Testo').fill('Ciao')
  await editor.getByRole('button', { name: 'Salva' }).click()
  await expect(editor.getByText('Hai già un modello con questo nome')).toBeVisible()
  await expect(editor.getByLabel('Testo')).toHaveValue('Ciao')
  await editor.getByLabel('Nome').fill('Saluto')
  await editor.getByRole('button', { name: 'Salva' }).click()
  await list.getByRole('button', { name: 'Elimina Sollecito gentile' }).click()
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await expectAccessible(page)

  // A contact alone has no invoice to speak of.
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  const choose = async (name: string) => {
    await letter.getByRole('button', { name: 'Usa un modello' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await letter.getByLabel('Testo').fill('Le mie parole')
  await choose('Sollecito gentile')
  await expect(letter.getByLabel('Testo')).toHaveValue(/n\. \{\{numero fattura\}\}[^]*\nAnna Bianchi$/)
  await expect(letter.getByRole('button', { name: 'Mancano: numero fattura, cognome e altri 4' })).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await letter.getByRole('button', { name: 'Rimetti il mio testo' }).click()
  await expect(letter.getByLabel('Testo')).toHaveValue('Le mie parole')

  await page.goto('/documents/fatture?tipo=attive')
  await page.getByRole('button', { name: 'Sollecita la fattura 1' }).click()
  await choose('Sollecito gentile')
  await expect(letter.getByLabel('Testo')).toHaveValue(/la fattura n\. 1 del .*: restano da pagare 1\.220,00\s€/)
  await expect(letter.getByLabel('Oggetto')).toHaveValue('Promemoria: fattura 1{{cognome}} {{colore}}')
  await letter.getByRole('button', { name: 'Mancano: cognome, colore' }).click()
  await page.keyboard.type(' in attesa')
  await letter.getByRole('button', { name: 'Manca: colore' }).click()
  await page.keyboard.press('Delete')
  await letter.getByLabel('Quando parte').selectOption('subito')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Inviata tra 10 secondi')).toBeVisible()
  expect(ask(account, 'select subject from public.outgoing_mails where user_id = $1').trim()).toBe(
    'Promemoria: fattura 1 in attesa',
  )
})

test('a mail from a deal speaks of it, and is kept as a template without its values', async ({ page, account }) => {
  const contactId = addCompany(account, `neri-${randomUUID()}@example.com`)
  await connect(page)
  await page.goto('/crm/trattative')
  await expect(page.getByText('Ancora nessuna trattativa')).toBeVisible()
  ask(
    account,
    `insert into public.deals (user_id, contact_id, title, amount_cents, stage_id, position)
     select $1, '${contactId}', 'Sito per Neri', 350000, id, 'a0' from public.stages where user_id = $1 order by position limit 1`,
  )
  await page.reload()
  await page.getByRole('button', { name: /^Sito per Neri/ }).click()
  await page.getByRole('button', { name: 'Scrivi a Neri srl' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByRole('button', { name: 'Usa un modello' }).click()
  await page.getByRole('menuitem', { name: 'Invio preventivo' }).click()
  await expect(letter.getByLabel('Oggetto')).toHaveValue('Preventivo: Sito per Neri')
  await expect(letter.getByLabel('Testo')).toHaveValue(/«Sito per Neri»: 3\.500,00\s€ in tutto/)
  await expect(letter.getByText('Da completare prima di inviare: nome, che cosa è compreso, data.')).toBeVisible()
  await letter.getByLabel('Testo').fill('Ecco «Sito per Neri» per Neri srl.')
  await letter.getByRole('button', { name: 'Usa un modello' }).click()
  await page.getByRole('menuitem', { name: 'Salva come modello' }).click()
  const editor = page.getByRole('dialog', { name: 'Nuovo modello' })
  await expect(editor.getByLabel('Oggetto')).toHaveValue('Preventivo: {{trattativa}}')
  await expect(editor.getByLabel('Testo')).toHaveValue('Ecco «{{trattativa}}» per {{contatto}}.')
  await editor.getByLabel('Nome').fill('Il mio preventivo')
  await editor.getByRole('button', { name: 'Salva' }).click()
  await expect(page.getByText('Modello salvato')).toBeVisible()
  await expect(letter.getByLabel('Testo')).toHaveValue('Ecco «Sito per Neri» per Neri srl.')
  await letter.getByRole('button', { name: 'Usa un modello' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Il mio preventivo', 'Salva come modello…'])
})

test('a mail for a Sunday waits for the Monday', async ({ page, account }) => {
  const { contactId } = await addClient(account)
  await connect(page)
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Oggetto').fill('Un saluto')
  await letter.getByLabel('Testo').fill('Buongiorno')
  await letter.getByLabel('Quando parte').selectOption('tardi')
  await expect(letter.getByRole('button', { name: 'Invia' })).toBeDisabled()
  const sunday = new Date()
  sunday.setUTCDate(sunday.getUTCDate() + 14 - sunday.getUTCDay())
  await letter.getByLabel('Giorno e ora').fill(`${sunday.toISOString().slice(0, 10)}T11:00`)
  await expect(letter.getByText(/Parte (?!domenica).*08:00: prima è sera, notte o festa/)).toBeVisible()
  await expectAccessible(page)
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText(/^Parte (?!domenica)/).first()).toBeVisible()
  await expect(page.getByText(/Parte (?!domenica).*08:00/).first()).toBeVisible()
})

test('a promotion carries a way out, which ends them all', async ({ page, account, console, elsewhere }) => {
  console.allow(/send_mail/)
  const { contactId, address } = await addClient(account)
  ask(
    account,
    `insert into public.consents (user_id, contact_id, channel, purpose, state) values ($1, '${contactId}', 'email', 'marketing', 'dato')`,
  )
  await connect(page)
  await expect(page.getByText('Ancora nessuno')).toBeVisible()
  await page.goto(`/crm/${contactId}`)
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const letter = page.getByRole('dialog', { name: 'Scrivi a Neri srl' })
  await letter.getByLabel('Oggetto').fill('Una novità')
  await letter.getByLabel('Testo').fill('Nuovi orari')
  await letter.getByLabel('Che cos’è').selectOption('soft_spam')
  await expect(letter.getByLabel('Che cosa ha comprato')).toBeVisible()
  await expect(letter.getByRole('button', { name: 'Invia' })).toBeDisabled()
  await letter.getByLabel('Che cos’è').selectOption('consenso')
  await expect(letter.getByLabel('Quando parte').getByRole('option', { name: 'Subito' })).toHaveCount(0)
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(letter).toBeHidden()
  // It may be night.
  ask(account, 'update public.outgoing_mails set not_before = now() where user_id = $1')
  await expect
    .poll(
      async () => {
        runJobs('mail_outbox')
        return (await mailsTo(address)).length
      },
      { timeout: 60_000, intervals: [3_000] },
    )
    .toBe(1)
  const [mail] = await mailsTo(address)
  const link = new URL(/Disiscriviti qui: (\S+)/.exec(mail?.Text ?? '')?.[1] ?? '')
  const phone = await elsewhere()
  await phone.goto(link.pathname + link.search)
  await expectAccessible(phone)
  await phone.getByRole('button', { name: 'Disiscrivimi' }).click()
  await expect(phone.getByRole('heading', { name: 'Disiscrizione fatta' })).toBeVisible()

  await page.getByRole('button', { name: 'Scrivi' }).click()
  await letter.getByLabel('Oggetto').fill('Ancora')
  await letter.getByLabel('Testo').fill('Prova')
  await letter.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Questo indirizzo non vuole ricevere email da te')).toBeVisible()
  await page.goto('/settings/channels')
  const list = page.getByRole('list', { name: 'Indirizzi a cui non scrivi più' })
  await expect(list).toContainText(address)
  await expect(list).toContainText('Si è disiscritto')
  await page.getByLabel('Aggiungi un indirizzo').fill('basta')
  await page.getByRole('button', { name: 'Non scrivergli più' }).click()
  await expect(page.getByText('Scrivi un indirizzo email intero')).toBeVisible()
  await page.getByLabel('Aggiungi un indirizzo').fill('Basta@Example.com')
  await page.getByRole('button', { name: 'Non scrivergli più' }).click()
  await expect(list).toContainText('basta@example.com')
  await page.getByLabel('Cerca un indirizzo').fill('basta')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
})

test('more than a hundred recipients are stopped until their number is typed, without who has unsubscribed', async ({
  page,
  account,
}) => {
  ask(
    account,
    `with people as (
       insert into public.contacts (user_id, first_name, last_name)
       select $1, 'Cliente ' || lpad(no::text, 3, '0'), 'Prova' from generate_series(1, 120) as no returning id, user_id, first_name
     )
     insert into public.contact_emails (user_id, contact_id, value)
     select user_id, id, 'c' || right(first_name, 3) || '-' || $1::uuid || '@example.com' from people`,
    `select count(private.suppress_mail($1, value, 'disiscritto')) from public.contact_emails
     where user_id = $1 and (value like 'c007-%' or value like 'c042-%')`,
  )
  await connect(page)
  await page.goto('/crm')
  await page.getByRole('button', { name: 'Scrivi' }).click()
  const dialog = page.getByRole('dialog', { name: 'Scrivi a 120 contatti' })
  await dialog.getByLabel('Oggetto').fill('Chiusura estiva')
  await dialog.getByLabel('Testo').fill('Ciao {{nome}}, ad agosto siamo chiusi.')
  await dialog.getByLabel('Che cos’è').selectOption('contratto')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Controlla chi la riceve' }).click()
  await expect(dialog.getByText('La ricevono 118 contatti.')).toBeVisible()
  const excluded = dialog.getByRole('list', { name: 'Esclusi' }).getByRole('listitem')
  await expect(excluded).toHaveText([
    'Cliente 007 Prova: non vuole ricevere email da te',
    'Cliente 042 Prova: non vuole ricevere email da te',
  ])
  await dialog.getByLabel('Come la vede').selectOption({ index: 4 })
  await expect(dialog.getByText('Ciao Cliente 005, ad agosto siamo chiusi.')).toBeVisible()
  const send = dialog.getByRole('button', { name: 'Invia a 118 contatti' })
  await expect(send).toBeDisabled()
  await dialog.getByLabel('scrivi 118 per confermare').fill('120')
  await expect(send).toBeDisabled()
  await dialog.getByLabel('scrivi 118 per confermare').fill('118')
  await expectAccessible(page)
  await send.dblclick()
  await expect(page).toHaveURL(/\/crm\/invii$/)
  await expect(page.getByText('0 di 118 inviate · 118 in attesa · 2 esclusi')).toBeVisible()
  const waits = ask(
    account,
    "select string_agg(distinct (not_before - created_at >= interval '10 minutes')::text, ',') || ' ' || count(*) from public.outgoing_mails where user_id = $1",
  )
  expect(waits.trim()).toBe('true 118')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Annulla tutto' }).click()
  await expect(page.getByText('0 di 118 inviate · 2 esclusi · annullato')).toBeVisible()
  expect(
    ask(account, "select count(*) from public.outgoing_mails where user_id = $1 and state <> 'cancelled'").trim(),
  ).toBe('0')
})
