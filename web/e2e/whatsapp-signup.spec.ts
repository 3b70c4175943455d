/** A number is connected at Meta and stays on the phone: its history comes in, an echo is an answer, and it is disconnected. */
import type { Page } from '@playwright/test'

import type { Account } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })
// What Meta delivers goes through jobs.
test.slow()

// A second attempt within a second of the first is refused (PAUSE_S), and a test is that fast.
const PAUSES = `select count(*) from private.leases where user_id = $1 and name like 'whatsapp signup%' and ends_at > now()`

/** Answers in Meta's dialog, which proposes another number each time. */
async function decide(
  { page, account }: { page: Page; account: Account },
  history: string,
  answer = 'Continua',
  isExpired = false,
  number = '',
): Promise<void> {
  await expect.poll(() => ask(account, PAUSES).trim()).toBe('0')
  await page.getByRole('button', { name: /^(Collega|Ricollega) con Meta$/ }).click()
  await expect(page.getByRole('heading', { name: 'Collega il tuo numero' })).toBeVisible()
  if (number) await page.getByLabel('Numero').fill(number)
  await page.getByLabel('Condividi la cronologia').selectOption(history)
  await page.getByLabel('codice già scaduto').setChecked(isExpired)
  await page.getByRole('button', { name: answer }).click()
  await expect(page).toHaveURL(/\/settings\/channels$/)
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
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('a number stays on the phone, its history comes in piece by piece, and it is disconnected', async ({
  page,
  context,
  account,
  console,
}) => {
  // Refusals of this function are part of the test.
  console.allow(/whatsapp_signup/)
  await page.goto('/settings/channels')
  await page.getByLabel('Solo da Socio').check()
  await expect(page.getByText(/Scrivi un numero che non è su WhatsApp/)).toBeVisible()
  await page.getByLabel('Anche sul telefono').check()
  const guide = page.getByRole('list', { name: 'Che cosa succede' })
  await expect(guide.getByRole('img')).toHaveCount(4)
  await expect(guide.getByRole('img', { name: /^Sul telefono: messaggio di Facebook Business/ })).toBeVisible()
  await page.getByText('Ho già un’app di Meta').click()
  await expect(page.getByRole('list', { name: 'Dove trovi i dati' }).getByRole('img')).toHaveCount(4)
  await expectFits(page)

  // Refused, and with a code that is over: nothing is lost.
  await decide({ page, account }, 'subito', 'Annulla')
  await expect(page.getByRole('alert')).toContainText('Non hai dato il permesso a Meta')
  await decide({ page, account }, 'subito', 'Continua', true)
  await expect(page.getByRole('alert')).toContainText('Meta non accetta più questo collegamento')
  await expectFits(page)

  await decide({ page, account }, 'a pezzi')
  await expect(page.getByText('Numero WhatsApp collegato')).toBeVisible()
  await expect(page.getByText('Il numero resta anche nell’app WhatsApp Business')).toBeVisible()
  await expect(page.getByText('Cronologia: in attesa di Meta')).toBeVisible()
  const number = ask(account, 'select phone_number_id from public.whatsapp_accounts where user_id = $1').trim()
  const phone = await context.newPage()
  async function sendPiece(): Promise<void> {
    await expect(async () => {
      await phone.goto(`${readStack().meta_url}/?numero=${number}`)
      await expect(phone.getByRole('button', { name: 'Manda un pezzo di cronologia' })).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 60_000 })
    await phone.getByRole('button', { name: 'Manda un pezzo di cronologia' }).click()
    await expect(phone.getByText(/^Pezzi che restano/)).toBeVisible()
  }
  await sendPiece()
  await expect(page.getByText('Cronologia: 40 %')).toBeVisible({ timeout: 60_000 })
  await expectFits(page)
  await sendPiece()
  await sendPiece()
  await expect(page.getByText('Cronologia: finita')).toBeVisible({ timeout: 60_000 })

  // Old messages are read, and none waits or was told.
  await page.goto('/crm?vista=whatsapp')
  await expect(page.getByText('Nessun messaggio aspetta una risposta')).toBeVisible()
  await page.goto('/crm?vista=whatsapp&stato=fatti')
  await page.getByRole('button', { name: /Dario Villa/ }).click()
  const chat = page.getByRole('region', { name: 'WhatsApp con Dario Villa' })
  await expect(chat.getByText('Mi manda il preventivo per la cucina?')).toBeVisible()
  await expect(chat.getByRole('listitem').filter({ hasText: '4.200 euro' }).getByText('Dal telefono')).toBeVisible()
  await expectFits(page)
  const told = ask(
    account,
    "select count(*)::text from public.notifications where user_id = $1 and kind = 'messaggio_whatsapp'",
  )
  expect(told.trim()).toBe('0')

  // The owner takes the link away on the phone, and gives it again: all that was there is there.
  await page.goto('/settings/channels')
  ask(account, 'select private.lose_whatsapp_number(id) from public.whatsapp_accounts where user_id = $1')
  await page.reload()
  await expect(page.getByText('Da ricollegare')).toBeVisible()
  await expectFits(page)
  await decide({ page, account }, 'no')
  await expect(page.getByRole('alert')).toContainText('Hai scelto un altro numero')
  await decide({ page, account }, 'no', 'Continua', false, number)
  await expect(page.getByText('Numero WhatsApp collegato')).toBeVisible()
  await expect(page.getByText('Cronologia: finita')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Ricollega con Meta' })).toBeHidden()

  await page.getByRole('button', { name: 'Scollega' }).click()
  await expect(page.getByText('Numero scollegato: le chiavi sono state cancellate')).toBeVisible()
  // Another number, whose owner shares no history.
  await decide({ page, account }, 'no')
  await expect(page.getByText('Cronologia: non condivisa')).toBeVisible({ timeout: 60_000 })
})
