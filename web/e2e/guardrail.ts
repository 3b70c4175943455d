/**
 * /admin/credit-audit: the limits that an admin sets for everybody. Alone, because they reach every account of the stack.
 */
import type { Page } from '@playwright/test'

import { expectAccessible } from './support/axe'
import { ask as askDatabase } from './support/database'
import { letModelRead, modelGoesOn, modelSays } from './support/model'
import { expect, test } from './support/test'

test.use({ persona: 'admin', usesModel: true })

// What a failed test leaves would fail the others too.
test.afterEach(({ account }) => {
  askDatabase(
    account,
    "delete from public.site_settings where key in ('ai.stopped', 'credits.daily_cap') and $1::uuid is not null",
  )
})

const thread = (page: Page) => page.getByRole('log', { name: 'Conversazione' })

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Scrivi a Socio' }).fill(question)
  await page.keyboard.press('Enter')
}

/** Opens the dialog, changes what `change` says, and saves with a reason. */
async function setLimits(page: Page, change: (dialog: ReturnType<Page['getByRole']>) => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Cambia i limiti' }).click()
  const dialog = page.getByRole('dialog', { name: 'Guardrail crediti' })
  await change(dialog)
  await dialog.getByLabel('Motivo').fill('Prova dei limiti')
  await dialog.getByRole('button', { name: 'Salva i limiti' }).click()
  await expect(page.getByText('Limiti salvati').first()).toBeVisible()
  await expect(dialog).toHaveCount(0)
}

test('the stop cuts an answer for free, says so, and ends', async ({ page, account, console }) => {
  // The question that the stop refuses.
  console.allow(/the server responded with a status of 503/)
  await page.goto('/chat')
  await modelSays({ text: 'Ecco il primo passo da fare oggi.', stall_after: 3 })
  await ask(page, 'Da dove comincio?')
  await letModelRead(page)
  await expect(thread(page).getByText('Ecco il primo')).toBeVisible({ timeout: 30_000 })

  const office = await page.context().newPage()
  await office.goto('/admin/credit-audit')
  await office.getByRole('button', { name: 'Cambia i limiti' }).click()
  const dialog = office.getByRole('dialog', { name: 'Guardrail crediti' })
  await expectAccessible(office)
  await dialog.getByRole('button', { name: 'Salva i limiti' }).click()
  await expect(dialog.getByText('Scrivi il motivo')).toBeVisible()
  await dialog.getByLabel('Motivo').fill('Niente di nuovo')
  await dialog.getByRole('button', { name: 'Salva i limiti' }).click()
  await expect(dialog.getByText('Non hai cambiato nessun limite')).toBeVisible()
  await dialog.getByRole('button', { name: 'Chiudi' }).click()
  await setLimits(office, (limits) => limits.getByLabel(/^Ferma l’IA per tutti/).check())
  const guardrail = office.getByRole('region', { name: 'Guardrail crediti' })
  await expect(guardrail).toContainText('fermi per tutti')

  const failure = thread(page).getByRole('alert')
  await expect(failure).toContainText('Abbiamo fermato l’IA per tutti', { timeout: 30_000 })
  await expect(thread(page).getByText('0 crediti (preventivo 1)')).toBeVisible()
  await modelGoesOn()
  await ask(page, 'E adesso?')
  await expect(page.getByRole('alert').filter({ hasText: 'per il momento: non ti costa nulla' })).toBeVisible()
  await expect(page.getByText('rispondo in modalità locale, a 0 crediti')).toBeVisible()
  await page.getByRole('button', { name: 'Rispondi in modalità locale' }).last().click()
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toBeVisible({ timeout: 30_000 })

  await page.goto('/projects?vista=obiettivi')
  await expect(page.getByText('Per sicurezza abbiamo fermato tutti gli agenti')).toBeVisible()
  await office.goto('/admin')
  await expect(office.getByText('L’IA è ferma per tutti')).toBeVisible()
  await office.getByRole('status').getByRole('link', { name: 'Crediti' }).click()
  await setLimits(office, (limits) => limits.getByLabel(/^Ferma l’IA per tutti/).uncheck())
  await expect(guardrail).toContainText('accesi')
  await page.goto('/chat')
  await modelSays({ text: 'Ci sono di nuovo.' })
  await ask(page, 'Ci sei?')
  await expect(thread(page).getByText('Ci sono di nuovo.')).toBeVisible({ timeout: 30_000 })
  expect(
    askDatabase(
      account,
      "select count(*) from public.admin_actions where admin_id = $1 and action = 'credits.guardrail' and reason = 'Prova dei limiti'",
    ),
  ).toContain('2')
})

test('a new price and a daily cap hold from the next question on', async ({ page, console }) => {
  console.allow(/the server responded with a status of 40[29]/)
  const office = await page.context().newPage()
  await office.goto('/admin/credit-audit')
  await page.goto('/chat')
  await modelSays({ text: 'Eccomi.' })
  await expect(page.getByText(/^max 1 credito · saldo/)).toBeVisible()
  await setLimits(office, (limits) => limits.getByLabel('Messaggio in chat').fill('2'))
  await expect(office.getByRole('region', { name: 'Guardrail crediti' })).toContainText('Messaggio in chat2 crediti')

  // What the person saw holds: the question is not asked at another price.
  await ask(page, 'Ci sei?')
  await letModelRead(page)
  await expect(page.getByRole('alert').filter({ hasText: 'costa al massimo 2 crediti' })).toBeVisible()
  await expect(page.getByText(/^max 2 crediti · saldo/)).toBeVisible()
  await page.getByRole('button', { name: 'Invia', exact: true }).click()
  await expect(thread(page).getByText('2 crediti (preventivo 2)')).toBeVisible({ timeout: 30_000 })

  await setLimits(office, (limits) => limits.getByLabel(/^Tetto al giorno/).fill('3'))
  await ask(page, 'Ancora?')
  await expect(page.getByRole('alert').filter({ hasText: 'il limite riparte a mezzanotte' })).toBeVisible()
  await setLimits(office, async (limits) => {
    await limits.getByLabel(/^Tetto al giorno/).fill('')
    await limits.getByLabel('Messaggio in chat').fill('1')
  })
  await expect(office.getByRole('region', { name: 'Guardrail crediti' })).toContainText('nessuno')
})
