/**
 * Addresses that lead nowhere.
 */
import { expect, test } from './support/test'

test('an unknown address says so and leads home or back @journey', async ({ page, console }) => {
  // The page reports the broken path to the error helper on purpose (SITE-14).
  console.allow(/404/)
  await page.goto('/login')
  await page.goto('/pagina/che/non/esiste')
  await expect(page.getByText('404', { exact: true })).toBeVisible()
  await expect(page.getByText('Pagina non trovata')).toBeVisible()
  await expect(page.getByText('La pagina che stai cercando non esiste o è stata spostata.')).toBeVisible()
  await page.getByRole('button', { name: /Indietro|Back/ }).click()
  await expect(page).toHaveURL('/login')
  await page.goto('/pagina/che/non/esiste')
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page).toHaveURL('/')
})
