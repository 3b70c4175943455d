/**
 * What somebody finds who has just typed `make run` and logs in with the demo login.
 */
import { enterDemo } from './support/demo'
import { outline, pictured } from './support/outline'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test('a stranger finds late invoices, papers that open, answers with sources and clients', async ({ page }) => {
  const { email, password } = readStack().demo_user
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Giulia')
  // The same on every day.
  await expect(page.getByRole('main')).toContainText('2.505,50 € in ritardo')

  await page.goto('/documents/fatture?tipo=attive')
  await expect(page.getByRole('listitem').filter({ hasText: 'Edilizia Solida' })).toContainText('Scaduta il')

  await page.goto('/documents')
  await page.getByLabel('Cerca nei documenti').fill('penale')
  await page
    .getByRole('link', { name: /Contratto Cantina Poggio Alto/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: /Contratto Cantina Poggio Alto/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Pagina 1' }).locator('canvas')).toBeVisible()

  await page.goto('/chat')
  await page.getByRole('link', { name: /Chi è in ritardo con i pagamenti/ }).click()
  await page.getByRole('button', { name: 'Fonti (3)' }).click()
  await expect(page.getByText('Fattura').first()).toBeVisible()

  await page.goto('/crm')
  await page.getByRole('link', { name: 'Alessandro Moretti' }).click()
  await expect(page.getByText('Hotel Bellavista').first()).toBeVisible()
})

test.describe('the pictures of the landing page', () => {
  test.use({ viewport: { width: 1152, height: 700 } })

  test('show the screen as it is', async ({ page }) => {
    await enterDemo(page)
    await page.goto('/home')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Giulia')
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    // The bar above gets its figures by itself.
    await expect(page.getByRole('link', { name: /crediti: apri lo store/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /non lette/ })).toBeVisible()
    // Otherwise: .venv/bin/python -m scripts.stack -- .venv/bin/python -m scripts.landing_pictures
    await expect.poll(() => outline(page)).toBe(pictured())
  })
})
