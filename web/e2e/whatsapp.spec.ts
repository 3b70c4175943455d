/** A stranger writes by WhatsApp, is answered inside the window and by a template outside of it, and stops all (CRM-31). */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask, runJobs } from './support/database'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

test.use({ persona: 'member' })
// The outbox and the statuses go through jobs, and a template is approved after a moment.
test.slow()

test('a stranger without a number becomes a contact and is answered as the window allows', async ({
  page,
  context,
  account,
}) => {
  await page.goto('/settings/channels')
  await page.getByText('Ho già un’app di Meta').click()
  await page.getByRole('button', { name: 'Usa il numero di prova' }).click()
  await page.getByRole('button', { name: 'Collega il numero' }).click()
  await expect(page.getByRole('button', { name: 'Controlla ora' })).toBeVisible()
  await page.getByRole('button', { name: 'Nuovo modello' }).click()
  await page.getByLabel(/^Nome, per esempio/).fill('promemoria')
  await page.getByLabel(/^Testo, con i punti/).fill('Gentile {{nome}}, ci sentiamo domani.')
  await page.getByLabel('Esempio per nome').fill('Anna')
  await page.getByRole('button', { name: 'Proponi a Meta' }).click()
  await expect(page.getByText('Approvato', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expectAccessible(page)

  const client = await context.newPage()
  const number = ask(account, 'select phone_number_id from public.whatsapp_accounts where user_id = $1').trim()
  async function say(text: string, file?: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    await client.goto(readStack().meta_url)
    await client.getByLabel('Numero dell’attività').selectOption(number)
    await client.getByLabel('Il tuo nome').fill('Giulia Mare')
    await client.getByLabel('Messaggio').fill(text)
    await client.getByLabel('senza numero di telefono').check()
    if (file) await client.getByLabel('Allega un file').setInputFiles(file)
    await client.getByRole('button', { name: 'Scrivi' }).click()
    await expect(client.getByText('Consegnato.')).toBeVisible()
  }
  await page.goto('/crm?vista=whatsapp')
  await expect(page.getByText('Nessun messaggio aspetta una risposta')).toBeVisible()
  await say('Buongiorno, a che punto siamo?')
  // Realtime brings it.
  await page.getByRole('button', { name: /Giulia Mare/ }).click()
  const chat = page.getByRole('region', { name: 'WhatsApp con Giulia Mare' })
  await expect(chat.getByText(/Puoi rispondere ancora per 23 h/)).toBeVisible()
  await chat.getByLabel('Risposta').fill('Eccomi!')
  await page.keyboard.press('Enter')
  const answer = chat.getByRole('listitem').filter({ hasText: 'Eccomi!' })
  await expect(answer.getByText('Letto')).toBeVisible({ timeout: 60_000 })
  await client.reload()
  await expect(client.getByText('Eccomi!')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  // Files in both directions.
  await say('Firmato', { name: 'contratto.pdf', mimeType: 'application/pdf', buffer: PDF })
  await expect(chat.getByRole('link', { name: 'contratto.pdf' })).toBeVisible({ timeout: 60_000 })
  await say('', {
    name: 'nota.ogg',
    mimeType: 'audio/ogg',
    buffer: Buffer.concat([Buffer.from('OggS'), Buffer.alloc(99)]),
  })
  await expect(chat.getByLabel('Messaggio vocale')).toHaveAttribute('src', /sign/, { timeout: 60_000 })
  await chat.getByRole('button', { name: 'Allega' }).click()
  await page.getByLabel('Cerca tra tutti i documenti').fill('contratto')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'contratto.pdf' }).click()
  await chat.getByLabel('Risposta').fill('Ricevuto')
  await page.keyboard.press('Enter')
  const sent = chat.getByRole('listitem').filter({ hasText: 'Ricevuto' })
  await expect(sent.getByText('Letto')).toBeVisible({ timeout: 60_000 })
  await client.reload()
  await expect(client.getByRole('link', { name: 'contratto.pdf' })).toBeVisible()
  await sent.getByRole('link', { name: 'contratto.pdf' }).click()
  await page.getByRole('tab', { name: 'Collega' }).click()
  await expect(page.getByRole('link', { name: 'Ricevuto da Giulia Mare' })).toBeVisible()
  await page.getByRole('link', { name: 'Inviato a Giulia Mare' }).click()
  await expect(sent).toBeFocused()

  // Found by words: by the name of a file, and in its conversation among many later messages.
  ask(
    account,
    `insert into public.whatsapp_messages (user_id, contact_id, channel_id, direction, message_id, kind, body, summary, at)
     select user_id, contact_id, id, 'entrata', 'wamid.later.' || n, 'text', 'Più tardi', 'Più tardi ' || n, now() + n * interval '1 ms'
     from public.contact_channels, generate_series(1, 60) as n where user_id = $1`,
  )
  await page.goto('/crm?vista=whatsapp&stato=fatti')
  const search = page.getByRole('searchbox', { name: 'Cerca nei messaggi' })
  await expect(search).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('punto siamo')
  const found = page.getByRole('list', { name: 'Messaggi trovati' })
  await expect(found.locator('mark')).toHaveText(['punto', 'siamo'])
  await expectAccessible(page)
  await found.getByRole('link', { name: /Giulia Mare/ }).press('Enter')
  const first = chat.getByRole('listitem').filter({ hasText: 'a che punto siamo' })
  await expect(first).toBeFocused()
  await expect(first).toBeInViewport()
  await expectAccessible(page)
  await chat.getByRole('button', { name: 'Vai agli ultimi messaggi' }).click()
  await expect(chat.getByText('Più tardi 60', { exact: true })).toBeInViewport()
  await search.fill('firmato contratto')
  await expect(found.locator('mark')).toHaveText(['contratto', 'Firmato'])
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Vai a' }).fill('punto siamo')
  await page.getByRole('option', { name: /Giulia Mare: Buongiorno/ }).click()
  await expect(first).toBeFocused()

  // A day later.
  ask(account, "update public.contact_channels set window_expires_at = now() - interval '1 minute' where user_id = $1")
  await expect(chat.getByText(/ora serve un modello/)).toBeVisible()
  await expect(chat.getByLabel('nome')).toHaveValue('Giulia')
  await expect(chat.getByLabel('Anteprima')).toHaveText('Gentile Giulia, ci sentiamo domani.')
  await chat.getByLabel('Invia subito').check()
  await chat.getByRole('button', { name: 'Invia il modello' }).click()
  const template = chat.getByRole('listitem').filter({ hasText: 'Gentile Giulia' })
  await expect(template.getByText('Letto')).toBeVisible({ timeout: 60_000 })
  await page.goto('/settings/channels')
  await expect(page.getByText('Risposte gratuite: 2 di 1000')).toBeVisible()
  await expect(page.getByText('Modelli di servizio: 1, prezzo non noto')).toBeVisible()

  await say('STOP')
  const contactId = ask(account, 'select contact_id::text from public.contact_channels where user_id = $1').trim()
  await page.goto(`/crm/${contactId}`)
  await expect(page.getByText(/ha chiesto di non ricevere altri messaggi/)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('revocato').first()).toBeVisible()
  runJobs('whatsapp_outbox')
  await expect(async () => {
    await client.reload()
    await expect(client.getByText(/non riceverai altri messaggi/)).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 60_000 })
})
