/**
 * /crm/trattative: a deal is added, moved by the keyboard, taken back, and lost with its reason.
 */
import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The screen shows a change before the server has it: a reload in between would drop it. */
const changeSaved = (page: Page) =>
  page.waitForResponse(
    (response) => response.url().includes('/rest/v1/deals') && response.request().method() === 'PATCH',
  )

async function addDeal(page: Page, title: string, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Nuova trattativa' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Titolo').fill(title)
  await dialog.getByLabel('Importo in euro').fill(amount)
  await dialog.getByRole('button', { name: 'Aggiungi' }).click()
  await expect(dialog).toBeHidden()
}

test('a deal moves by the keyboard, and back with «Annulla» @journey', async ({ page }) => {
  await page.goto('/crm/trattative')
  await expect(page.getByText('Ancora nessuna trattativa')).toBeVisible()
  await addDeal(page, 'Sito per Rossi', '2.000')
  await expect(column(page, 'Contatto')).toContainText('Sito per Rossi')
  await expect(column(page, 'Contatto')).toContainText('ponderato 200,00')

  await page.getByRole('button', { name: 'Sposta Sito per Rossi' }).focus()
  await page.keyboard.press('Space')
  await expect(page.getByText('Contatto, posto 1')).toBeAttached()
  // An arrow before the places are measured moves nothing.
  await expect(async () => {
    await page.keyboard.press('ArrowRight')
    await expect(page.getByText('Qualificato, posto 1')).toBeAttached({ timeout: 1000 })
  }).toPass()
  const moved = changeSaved(page)
  await page.keyboard.press('Space')
  await expect(column(page, 'Qualificato')).toContainText('Sito per Rossi')
  await moved
  const undone = changeSaved(page)
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(column(page, 'Contatto')).toContainText('Sito per Rossi')
  await undone
  await page.reload()
  await expect(column(page, 'Contatto')).toContainText('Sito per Rossi')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Sito per Rossi', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nuova attività').fill('Mandare il preventivo')
  await dialog.getByRole('button', { name: 'Aggiungi attività' }).click()
  await expectAccessible(page)
  await dialog.getByRole('link', { name: 'Mandare il preventivo' }).click()
  await expect(dialog.getByLabel('Trattativa')).toHaveValue(/./)
  await dialog.getByRole('link', { name: 'Apri la trattativa' }).click()
  await expect(dialog.getByLabel('Titolo')).toHaveValue('Sito per Rossi')
  await page.keyboard.press('Escape')
  await expect(column(page, 'Contatto')).toContainText('1 attività')
})

test('on a phone a list moves a deal, and a lost one is asked why', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/crm/trattative')
  await addDeal(page, 'Logo', '500')
  await page.getByLabel('Fase di Logo').selectOption({ label: 'Persa' })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Prezzo' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Segna come persa' }).click()
  await page.getByLabel('Fase', { exact: true }).selectOption({ label: 'Persa (1)' })
  await expect(column(page, 'Persa')).toContainText('Prezzo')
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})
