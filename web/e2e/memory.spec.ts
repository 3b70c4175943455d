/**
 * /settings/memory: what is written by hand is kept, told apart from what is known, corrected, paused and forgotten.
 */
import { expectAccessible } from './support/axe'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test('a fact is remembered, corrected, paused and forgotten for good @journey', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  await page.goto('/settings/memory')
  await expect(page.getByText('Ancora nessun ricordo')).toBeVisible()
  const field = page.getByLabel('Ricorda che…')
  const list = page.getByRole('list', { name: 'Ricordi' })

  await field.fill('La password del gestionale è gatto12')
  await page.getByRole('button', { name: 'Ricorda', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('gestore di password')

  await field.fill('Non lavoro il venerdì pomeriggio')
  await field.press('Tab')
  await page.getByRole('button', { name: 'Ricorda', exact: true }).click()
  await expect(list).toContainText('Non lavoro il venerdì pomeriggio')

  // Nearly the same is shown beside what is known, and takes its place.
  await field.fill('Non lavoro di venerdì pomeriggio')
  await page.getByRole('button', { name: 'Ricorda', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Non lavoro il venerdì pomeriggio')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Sostituisci' }).click()
  await expect(dialog).toBeHidden()
  await expect(list.getByRole('listitem')).toHaveCount(1)

  await list.getByRole('button', { name: /^Modifica/ }).click()
  await page.getByLabel('Il ricordo').fill('Non lavoro mai di venerdì pomeriggio')
  await page.getByRole('button', { name: 'Salva' }).click()
  await expect(list).toContainText('Non lavoro mai di venerdì')
  await list.getByRole('button', { name: /^Metti in pausa/ }).click()
  await expect(list).toContainText('In pausa')
  await expectAccessible(page)

  await page.getByLabel('Stato').selectOption('Superato')
  await expect(list).toContainText('Non lavoro il venerdì pomeriggio')
  await page.getByLabel('Stato').selectOption('Attivi e in pausa')
  await list.getByRole('button', { name: /^Dimentica/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dimentica' }).click()
  await expect(list).toBeHidden()
  await page.reload()
  await page.getByRole('button', { name: 'Cancella tutta la memoria…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dimentica' }).click()
  await expect(page.getByText('Ancora nessun ricordo')).toBeVisible()
})
