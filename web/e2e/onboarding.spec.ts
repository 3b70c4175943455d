/**
 * The four steps are saved as they go, and nobody has to take them.
 */
import { expect, test } from './support/test'

test.describe('a newcomer', () => {
  test.use({ persona: 'newcomer' })

  test('goes on after a reload where the work stopped', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByLabel('Che lavoro fai?').fill('Idraulica')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeFocused()
    await page.getByRole('button', { name: 'Salta', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Canali' })).toBeVisible()

    await page.reload()
    await expect(page.getByRole('heading', { name: 'Canali' })).toBeVisible()
    await page.getByRole('button', { name: 'Indietro' }).click()
    await page.getByRole('button', { name: 'Indietro' }).click()
    await expect(page.getByLabel('Che lavoro fai?')).toHaveValue('Idraulica')
  })

  test('skips everything, and finds the questions again on the home screen', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByRole('button', { name: 'Salta tutto' }).click()
    await expect(page).toHaveURL('/home')

    await page.getByRole('link', { name: /Racconta la tua attività/ }).click()
    await page.getByLabel('Che lavoro fai?').fill('Idraulica')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page).toHaveURL('/home')
    await expect(page.getByRole('link', { name: /Racconta la tua attività/ })).toBeHidden()
  })

  test('answers with the keyboard alone', async ({ page }) => {
    await page.goto('/onboarding')
    await expect(page.getByRole('heading', { name: 'Chi sei' })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeFocused()
  })

  test('is told which answer is too short', async ({ page }) => {
    await page.goto('/onboarding')
    await page.getByLabel('Nome completo').fill('A')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByText('Nome deve essere almeno 2 caratteri')).toBeVisible()
    await expect(page.getByLabel('Nome completo')).toBeFocused()
  })
})
