/** A voice note comes by WhatsApp, is played, becomes text with the person's yes, and is found by its words (CRM-24). */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { modelSays } from './support/model'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

/** A page of an Ogg file: how many samples at 48 kHz there are so far, and what it holds. */
function oggPage(samples: number, content: Buffer): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeBigInt64LE(BigInt(samples), 6)
  return Buffer.concat([head, content])
}

const voiceNote = (seconds: number): Buffer =>
  Buffer.concat([oggPage(0, Buffer.from('OpusHead\u0001\u0001\0\0')), oggPage(seconds * 48_000, Buffer.alloc(200))])

// One after the other: the model has one script.
test.describe.configure({ mode: 'default' })
test.use({ persona: 'member', usesModel: true })
// Files and texts go through jobs.
test.slow()

test('a voice note becomes text when asked and then by itself', async ({ page, context, account }) => {
  await page.goto('/settings/channels')
  await page.getByText('Ho già un’app di Meta').click()
  await page.getByRole('button', { name: 'Usa il numero di prova' }).click()
  await page.getByRole('button', { name: 'Collega il numero' }).click()
  await expect(page.getByRole('button', { name: 'Controlla ora' })).toBeVisible()
  const client = await context.newPage()
  const number = ask(account, 'select phone_number_id from public.whatsapp_accounts where user_id = $1').trim()
  async function speak(seconds: number): Promise<void> {
    await client.goto(readStack().meta_url)
    await client.getByLabel('Numero dell’attività').selectOption(number)
    await client.getByLabel('Il tuo nome').fill('Giulia Voce')
    const file = { name: 'nota.ogg', mimeType: 'audio/ogg', buffer: voiceNote(seconds) }
    await client.getByLabel('Allega un file').setInputFiles(file)
    await client.getByRole('button', { name: 'Scrivi' }).click()
    await expect(client.getByText('Consegnato.')).toBeVisible()
  }
  await speak(65)
  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: /Giulia Voce/ }).click()
  const chat = page.getByRole('region', { name: 'WhatsApp con Giulia Voce' })
  const player = chat.getByLabel('Messaggio vocale').first()
  await expect(player).toHaveAttribute('src', /sign/, { timeout: 60_000 })
  await expect(chat.getByText('1:05')).toBeVisible()

  await modelSays({ status: 500 })
  await chat.getByRole('button', { name: 'Trascrivi · 2 crediti' }).click()
  const dialog = page.getByRole('dialog', { name: 'Chi ascolta il messaggio' })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Va bene, trascrivi' }).click()
  await expect(chat.getByText(/riproviamo da soli/)).toBeVisible({ timeout: 60_000 })
  await expectAccessible(page)
  // It waits half a minute, which is over now; nobody clicks again.
  await modelSays({ text: 'Ciao, per le tapparelle della camera va bene giovedì mattina.' })
  ask(
    account,
    `update jobs.pgqueuer set execute_after = now()
     where entrypoint = 'whatsapp_voice' and status = 'queued' and $1::uuid is not null`,
  )
  await expect(chat.getByText(/tapparelle della camera/)).toBeVisible({ timeout: 60_000 })
  await expect(chat.getByText(/Trascrizione dell’IA/)).toBeVisible()
  const taken = ask(account, 'select sum(captured)::text from public.credit_holds where user_id = $1').trim()
  expect(taken).toBe('2')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.goto('/crm?vista=whatsapp&cerca=tapparelle+giovedì')
  const found = page.getByRole('list', { name: 'Messaggi trovati' })
  await expect(found.locator('mark')).toHaveText(['tapparelle', 'giovedì'])

  // From now on by itself, at the price that is shown.
  await page.goto('/settings/channels')
  const byItself = page.getByRole('checkbox', { name: 'Trascrivi i messaggi vocali appena arrivano' })
  // It is ticked while it is being saved, a moment after the click.
  await byItself.click()
  await expect(byItself).toBeChecked()
  await expect(byItself).toBeEnabled()
  await expectAccessible(page)
  await page.reload()
  await expect(byItself).toBeChecked()
  await modelSays({ text: 'Dimenticavo: passo io a ritirare le chiavi.' })
  await speak(4)
  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: /ritirare le chiavi/ }).click({ timeout: 60_000 })
  await expect(chat.getByText(/passo io a ritirare le chiavi/)).toBeVisible()
})
