/** The automatic answer by WhatsApp is chosen, tried without sending, and goes to somebody who writes (CRM-25). */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask, runJobs } from './support/database'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// Messages go through jobs.
test.slow()

test('somebody who writes is answered automatically, and waits for the person', async ({ page, context, account }) => {
  await page.goto('/settings/channels')
  await page.getByText('Ho già un’app di Meta').click()
  await page.getByRole('button', { name: 'Usa il numero di prova' }).click()
  await page.getByRole('button', { name: 'Collega il numero' }).click()
  const settings = page.getByRole('region', { name: 'Risposta automatica' })
  await settings.getByRole('radio', { name: 'Fuori dall’orario di lavoro' }).check()
  await settings.getByRole('button', { name: 'Prova senza inviare' }).click()
  await expect(settings.getByText(/dal lunedì al venerdì dalle 9:00 alle 18:00/)).toBeVisible()
  await settings.getByRole('radio', { name: 'Sempre' }).check()
  await settings.getByLabel('Testo').fill('Sono in cantiere: rispondo stasera.')
  await settings.getByRole('button', { name: 'Prova senza inviare' }).click()
  await expect(settings.getByText('Chi ti scrive adesso la riceverebbe.')).toBeVisible()
  await settings.getByRole('button', { name: 'Salva la risposta' }).click()
  await expect(page.getByText('Risposta automatica salvata')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  const client = await context.newPage()
  const number = ask(account, 'select phone_number_id from public.whatsapp_accounts where user_id = $1').trim()
  await client.goto(readStack().meta_url)
  await client.getByLabel('Numero dell’attività').selectOption(number)
  await client.getByLabel('Il tuo nome').fill('Giulia Notte')
  await client.getByLabel('Messaggio').fill('Buonasera, a che punto siamo?')
  await client.getByRole('button', { name: 'Scrivi' }).click()
  await expect(client.getByText('Consegnato.')).toBeVisible()

  await page.goto('/crm?vista=whatsapp')
  await page.getByRole('button', { name: /Giulia Notte/ }).click()
  const chat = page.getByRole('region', { name: 'WhatsApp con Giulia Notte' })
  const answer = chat.getByRole('listitem').filter({ hasText: 'Sono in cantiere' })
  await expect(answer.getByText('Risposta automatica', { exact: true })).toBeVisible()
  ask(
    account,
    "update public.whatsapp_messages set not_before = now() where user_id = $1 and state = 'queued' returning 1",
  )
  runJobs('whatsapp_outbox')
  await expect(answer.getByText('Letto')).toBeVisible({ timeout: 60_000 })
  await client.reload()
  await expect(client.getByText('Risposta automatica: Sono in cantiere: rispondo stasera.')).toBeVisible()
  // It goes on waiting.
  await page.reload()
  await expect(page.getByRole('list', { name: 'Conversazioni' }).getByText('Giulia Notte')).toBeVisible()
  await expectAccessible(page)
})
