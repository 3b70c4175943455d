/**
 * /chat in local mode on sample data: asked and answered with its sources, cut and taken up again, edited, refused.
 */
import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addDemoData } from './support/accounts'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const field = (page: Page) => page.getByRole('textbox', { name: 'Scrivi a Socio' })
const thread = (page: Page) => page.getByRole('log', { name: 'Conversazione' })

/** So many answers have ended. The first one of a server waits until its libraries are loaded. */
async function expectAnswers(page: Page, count: number): Promise<void> {
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toHaveCount(count, { timeout: 30_000 })
}

async function ask(page: Page, question: string): Promise<void> {
  await field(page).fill(question)
  await field(page).press('Enter')
}

test('a question is answered with its sources, and a sentence becomes a task @journey', async ({ page, account }) => {
  await addDemoData(account)
  await page.goto('/chat')
  await expect(field(page)).toBeFocused()
  await ask(page, 'Quanto ho in trattativa?')
  await expectAnswers(page, 1)
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Quanto ho in trattativa')
  await expect(
    thread(page)
      .getByRole('button', { name: /^Fonte/ })
      .first(),
  ).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)

  await ask(page, 'domani alle 15 chiama Rossi per il preventivo')
  await thread(page).getByRole('button', { name: 'Approva', exact: true }).click()
  await expect(thread(page).getByRole('button', { name: 'Annulla' })).toBeVisible()
  await page.goto('/tasks?vista=lista')
  await expect(page.getByRole('list', { name: 'Attività' })).toContainText(/chiama.* Rossi/i)
})

test('what a proxy cuts is taken up again, and a reload finds the answer', async ({ page, account, console }) => {
  console.allow(/Failed to load resource/)
  await addDemoData(account)
  await page.goto('/chat')
  // Of each stream only the beginning comes through.
  await page.route('**/functions/v1/chat', async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    await route.fulfill({ response, body: body.slice(0, body.indexOf('\n\n') + 2) })
  })
  const resumed = page.waitForRequest(/functions\/v1\/chat\?run=.*last=1$/)
  await ask(page, 'Che cosa ho da fare oggi?')
  await resumed
  await expectAnswers(page, 1)

  await page.route(/functions\/v1\/chat\?run=/, (route) => route.abort())
  await ask(page, 'Chi devo richiamare?')
  // Nothing more comes of this stream: the row of the answer tells its end.
  await expectAnswers(page, 2)
  await page.unrouteAll()
  await page.reload()
  await expectAnswers(page, 2)
  await expect(field(page)).toHaveValue('')
})

test('an edited question stands beside the old one', async ({ page }) => {
  await page.goto('/chat')
  await ask(page, 'Quanti crediti mi restano?')
  await expectAnswers(page, 1)
  await field(page).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'La tua domanda' })
  await editor.fill('Che cosa sai fare?')
  await editor.press('Enter')
  await expect(thread(page)).toContainText('2/2')
  await expect(thread(page)).toContainText('Che cosa sai fare?')
  await expectAnswers(page, 1)
  await page.getByRole('button', { name: 'Versione precedente' }).click()
  await expect(thread(page)).toContainText('Quanti crediti mi restano?')
  await expect(thread(page)).not.toContainText('Che cosa sai fare?')
})

test('a refused question is back in its field with the reason, even after a reload', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  await page.goto('/chat')
  await page.route('**/functions/v1/chat', (route) =>
    route.fulfill({ status: 429, json: { code: 'too_many_requests', message: 'Troppe domande: aspetta 12 secondi.' } }),
  )
  await ask(page, 'Quante fatture ho?\nE quante scadute?')
  await expect(page.getByRole('alert')).toContainText('aspetta 12 secondi')
  await expect(field(page)).toHaveValue('Quante fatture ho?\nE quante scadute?')
  await expectAccessible(page)
  await page.unrouteAll()
  await page.reload()
  await expect(field(page)).toHaveValue('Quante fatture ho?\nE quante scadute?')
  await field(page).press('Enter')
  await expectAnswers(page, 1)
  await expect(field(page)).toHaveValue('')
})
