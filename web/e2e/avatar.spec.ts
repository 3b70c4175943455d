/**
 * The picture of the profile: chosen, cut, kept, shown in the top bar, taken away.
 */
import { readFileSync } from 'node:fs'

import { expect, test } from './support/test'

test.use({ persona: 'member' })

test('a picture is seen before it is saved, stays after a reload, and goes again', async ({ page }) => {
  await page.goto('/settings/profile')
  const picture = {
    name: 'io.png',
    mimeType: 'image/png',
    buffer: readFileSync(new URL('../public/icon-192.png', import.meta.url)),
  }
  await page.getByLabel('Foto del profilo').setInputFiles(picture)
  await expect(page.getByRole('img', { name: 'Anteprima della foto' })).toBeVisible()
  await page.getByRole('button', { name: 'Salva foto' }).click()
  await expect(page.getByText('Foto salvata')).toBeVisible()

  await page.reload()
  const shown = page.getByRole('banner').locator('img[src^="blob:"]')
  await expect(shown).toBeVisible()
  await page.getByRole('button', { name: 'Togli', exact: true }).click()
  await expect(page.getByText('Foto tolta')).toBeVisible()
  await expect(shown).toBeHidden()
})

test('a file that is no picture is refused in words', async ({ page }) => {
  await page.goto('/settings/profile')
  const file = { name: 'io.heic', mimeType: 'image/heic', buffer: Buffer.from('nessuna foto') }
  await page.getByLabel('Foto del profilo').setInputFiles(file)
  await page.getByRole('button', { name: 'Salva foto' }).click()
  await expect(page.getByText(/salvala come JPG o PNG/)).toBeVisible()
})
