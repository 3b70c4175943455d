/**
 * /settings/credits on the rows of a real account: figures, statement, file, limits; and the dialog that the limits set.
 */
import { readFileSync } from 'node:fs'

import { expect, test } from './support/test'

test.use({ persona: 'member' })

const digits = (text: string | null) => Number((text ?? '').replaceAll(/\D/g, ''))

test('the figures, the statement and the file say the same', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('link', { name: /^Crediti Saldo/ }).click()
  await expect(page.getByRole('heading', { name: 'Crediti', exact: true })).toBeVisible()

  const balance = digits(await page.getByRole('definition').first().textContent())
  expect(balance).toBeGreaterThanOrEqual(100)
  await expect(page.getByRole('link', { name: /crediti: apri lo store/ })).toContainText(String(balance))
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.filter({ hasText: 'Crediti di benvenuto' })).toContainText('+100')
  expect(digits(await rows.nth(1).getByRole('cell').last().textContent())).toBe(balance)
  const lots = await page.getByRole('list', { name: 'Lotti' }).getByRole('listitem').count()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Scarica CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('socio-estratto-crediti.csv')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[0]).toBe('\uFEFF"Data";"Cosa";"Da quale lotto";"Crediti";"Saldo"')
  expect(lines.slice(1)).toHaveLength(lots)
  expect(lines.at(-1)).toMatch(new RegExp(`;${balance}$`))
})

test('a threshold above the balance brings the warning, once in a session', async ({ page }) => {
  await page.goto('/settings/credits')
  await page.getByLabel('Avvisami sotto').fill('molti')
  await page.getByRole('button', { name: 'Salva' }).click()
  await expect(page.getByText('Scrivi un numero intero di crediti')).toBeVisible()
  await page.getByLabel('Avvisami sotto').fill('10.000')
  await page.getByLabel('Tetto mensile').fill('2.000')
  await page.getByRole('button', { name: 'Salva' }).click()

  const dialog = page.getByRole('dialog', { name: 'Crediti Insufficienti' })
  await expect(dialog).toContainText('Ricarica per continuare a usare le funzioni AI.')
  await dialog.getByRole('button', { name: 'Più Tardi' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('usati su 2.000')).toBeVisible()

  await page.reload()
  await expect(page.getByLabel('Avvisami sotto')).toHaveValue('10000')
  await expect(page.getByLabel('Tetto mensile')).toHaveValue('2000')
  await expect(dialog).toBeHidden()

  const another = await page.context().newPage()
  await another.goto('/home')
  await another.getByRole('link', { name: 'Ricarica Crediti' }).click()
  await expect(another).toHaveURL(/\/pricing$/)
})

test('what cannot be read says so, and «Riprova» reads it', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  await page.route(/credit_(overview|statement|lots|settings)/, (route) => route.fulfill({ status: 400, json: {} }))
  await page.goto('/settings/credits')
  await expect(page.getByRole('alert')).toHaveCount(4)
  await page.unroute(/credit_(overview|statement|lots|settings)/)
  await page.getByRole('alert').filter({ hasText: 'estratto conto' }).getByRole('button', { name: 'Riprova' }).click()
  await expect(page.getByRole('table')).toBeVisible()
})
