/**
 * The administration: what each screen shows, and an action that needs a reason.
 */
import type { Page } from '@playwright/test'

import { expect, test } from './support/test'

const routes = [
  ['/admin', 'Panoramica'],
  ['/admin/errors', 'Errori'],
  ['/admin/uptime', 'Disponibilità'],
  ['/admin/mobile-qa', 'Mobile'],
  ['/admin/browser-testing', 'Browser'],
  ['/admin/performance', 'Prestazioni'],
  ['/admin/analytics', 'Analytics'],
  ['/admin/stripe-events', 'Pagamenti'],
  ['/admin/security', 'Sicurezza'],
  ['/admin/database-health', 'Database'],
  ['/admin/credit-audit', 'Crediti'],
  ['/admin/roadmap', 'Roadmap'],
] as const

/** Opens a screen whose `count` measures the job has taken: a new stack's worker does so within its first minute. */
async function openMeasured(page: Page, path: string, count = 1): Promise<void> {
  await expect(async () => {
    await page.goto(path)
    await expect(page.getByText(/^aggiornato/)).toHaveCount(count)
  }).toPass({ timeout: 50_000 })
}

test.use({ persona: 'admin' })

test('an admin walks through the twelve screens by their links', async ({ page }) => {
  await page.goto('/admin')
  for (const [path, title] of routes) {
    await test.step(path, async () => {
      await page.getByRole('navigation', { name: 'Amministrazione' }).getByRole('link', { name: title }).click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
    })
  }
})

test('the lights of the overview lead to figures that say when they were measured', async ({ page }) => {
  await openMeasured(page, '/admin', 6)
  const lights = page.getByRole('list', { name: 'Semafori' }).getByRole('listitem')
  await expect(lights).toHaveCount(6)
  await lights.getByRole('link', { name: 'Database' }).click()
  await expect(page.getByText('Letture dalla memoria').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Tabelle più grandi' }).getByRole('row')).toHaveCount(21)
  await page.getByRole('link', { name: '90 giorni' }).click()
  await expect(page).toHaveURL(/periodo=90g/)
  const download = page.waitForEvent('download')
  await page.getByRole('region', { name: 'Tabelle più grandi' }).getByRole('button', { name: 'CSV' }).click()
  expect((await download).suggestedFilename()).toBe('Tabelle più grandi.csv')
})

test('an admin gives a reason before expired holds are released', async ({ page }) => {
  await openMeasured(page, '/admin/credit-audit')
  await page.getByRole('button', { name: 'Libera le riserve scadute' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Motivo').fill('Controllo mensile')
  await dialog.getByRole('button', { name: 'Conferma' }).click()
  await expect(page.getByText('Riserve scadute liberate')).toBeVisible()
})
