/**
 * /crm and one contact: added with its fiscal data, found by its number, written about, deleted and taken back.
 */
import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

/** Adds a person by the form and waits for their page. */
async function add(page: Page, firstName: string, lastName: string, phone: string): Promise<void> {
  await page.goto('/crm')
  await page.getByRole('button', { name: 'Nuovo' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Nome', { exact: true }).fill(firstName)
  await form.getByLabel('Cognome').fill(lastName)
  await form.getByLabel('Telefono').fill(phone)
  await form.getByRole('button', { name: 'Aggiungi contatto' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `${firstName} ${lastName}` })).toBeVisible()
}

test('a contact is added once its P.IVA is right, and what was said stands in its story @journey', async ({ page }) => {
  await page.goto('/crm')
  await page.getByRole('button', { name: 'Aggiungi il primo contatto' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Nome', { exact: true }).fill('Mario')
  await form.getByLabel('Cognome').fill('Rossi')
  await form.getByRole('combobox', { name: 'Azienda' }).fill('Rossi Impianti srl')
  await form.getByLabel('Partita IVA').fill('12345678901')
  await form.getByLabel('Codice fiscale').focus()
  await expect(form.getByText(/Partita IVA non valida/)).toBeVisible()
  await expectAccessible(page)
  await form.getByLabel('Partita IVA').fill('007 4311 0157')
  await expect(form.getByText(/Partita IVA non valida/)).toBeHidden()
  await form.getByLabel('Regime fiscale').selectOption('Altro')
  await form.getByLabel('Quale regime').fill('Cooperativa sociale')
  await form.getByLabel('Risentire ogni quanti giorni').fill('30')
  await form.getByRole('button', { name: 'Aggiungi contatto' }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'Mario Rossi' })).toBeVisible()
  await expect(page.getByText('00743110157')).toBeVisible()
  await expect(page.getByText('Cooperativa sociale')).toBeVisible()
  await expect(page.getByText('Risentire tra 30 giorni')).toBeVisible()

  await page.getByRole('button', { name: 'Chiamata' }).click()
  await page.getByRole('textbox', { name: /^Chiamata/ }).fill('Vuole il preventivo entro venerdì')
  await page.getByRole('button', { name: 'Registra', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Oggi' })).toContainText('Vuole il preventivo entro venerdì')
  await expect(page.getByText('Ultimo contatto adesso')).toBeVisible()

  await page.getByRole('textbox', { name: /^Nota/ }).fill('| Voce | Euro |\n|---|--:|\n| **Sito** | 1.200 |')
  await page.getByRole('button', { name: 'Registra', exact: true }).click()
  const table = page.getByRole('table')
  await expect(table.getByRole('columnheader', { name: 'Euro' })).toBeVisible()
  await expectAccessible(page)
  for (const [what, said] of [
    ['Nota', 'Nota eliminata'],
    ['Chiamata', 'Eliminato: Chiamata'],
  ] as const) {
    const remove = page.getByRole('button', { name: `Elimina: ${what}` })
    await remove.click()
    await expect(remove).toBeHidden()
    await page.getByRole('listitem').filter({ hasText: said }).getByRole('button', { name: 'Annulla' }).click()
    await expect(remove).toBeVisible()
  }
  await expect(page.getByText('Ultimo contatto adesso')).toBeVisible()
  await expect(table).toBeVisible()

  await page.goto('/crm?vista=aziende')
  await expect(page.getByRole('link', { name: 'Rossi Impianti srl' })).toBeVisible()
})

test('a contact is found by the digits of its number, deleted and taken back', async ({ page, console }) => {
  console.allow(/the server responded with a status of 409/)
  await add(page, 'Anna', 'Verdi', '348 765 4321')
  await page.goto('/crm')
  await expect(page.getByRole('link', { name: 'Anna Verdi' })).toBeVisible()
  await page.keyboard.press('n')
  const form = page.getByRole('dialog')
  await form.getByLabel('Nome', { exact: true }).fill('Luca')
  await form.getByLabel('Telefono').fill('+39 3487654321')
  await expect(form.getByText('stesso telefono')).toBeVisible()
  await form.getByRole('button', { name: 'Aggiungi contatto' }).click()
  await expect(form.getByText('È già di «Anna Verdi»')).toBeVisible()
  await form.getByLabel('Telefono').fill('02 1234567')
  await form.getByRole('button', { name: 'Aggiungi contatto' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Luca' })).toBeVisible()
  await page.goto('/crm')
  await expect(page.getByRole('link', { name: 'Luca' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('7654321')
  const table = page.getByRole('table', { name: 'Contatti' })
  await expect(table.locator('a[data-row]')).toHaveText(['Anna Verdi'])

  await table.getByRole('checkbox', { name: 'Seleziona Anna Verdi' }).check()
  await page.getByRole('button', { name: 'Elimina' }).click()
  await expect(page.getByText('Nessuno corrisponde a questa ricerca')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(table.locator('a[data-row]')).toHaveText(['Anna Verdi'])
})

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('sample data come and go; the list and a contact are accessible and fit', async ({ page }) => {
    await page.goto('/crm')
    await page.getByRole('button', { name: 'Prova con dati di esempio' }).click()
    await expect(page.getByText('Stai provando Socio con dati di esempio')).toBeVisible()
    await expect(page.getByRole('table', { name: 'Contatti' }).getByRole('link').first()).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Togli gli esempi' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Togli gli esempi' }).click()
    await expect(page.getByText('Ancora nessun contatto')).toBeVisible()

    await add(page, 'Francesca', 'Della Valle', '333 111 2222')
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Registra una risposta' }).click()
    await page.getByLabel('Come te l’ha detto').fill('Al telefono')
    await page.getByRole('dialog').getByRole('button', { name: 'Registra' }).click()
    await page.getByText('Prove (1)').click()
    await expect(page.getByText('Al telefono · Consenso')).toBeVisible()
  })
})

test('a tag becomes a segment; a contact is changed back and exported', async ({ page }) => {
  await add(page, 'Giulia', 'Neri', '333 222 3333')
  await add(page, 'Paolo', 'Gallo', '333 222 4444')
  await page.goto('/crm')
  await page.getByRole('checkbox', { name: 'Seleziona Giulia Neri' }).check()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Tag' }).fill('Cliente')
  await page.getByRole('button', { name: 'Aggiungi', exact: true }).click()
  await page.getByRole('button', { name: 'Filtri' }).click()
  await page.getByRole('checkbox', { name: 'Cliente' }).check()
  await page.keyboard.press('Escape')
  const names = page.getByRole('table', { name: 'Contatti' }).locator('a[data-row]')
  await expect(names).toHaveText(['Giulia Neri'])
  await page.getByRole('button', { name: 'Segmenti' }).click()
  await page.getByRole('menuitem', { name: 'Salva questo filtro…' }).click()
  await page.getByLabel('Nome del segmento').fill('I miei clienti')
  await page.getByRole('button', { name: 'Salva', exact: true }).click()
  await page.getByRole('button', { name: 'I miei clienti' }).click()
  await page.getByRole('menuitem', { name: 'Tutti' }).click()
  await expect(names).toHaveText(['Giulia Neri', 'Paolo Gallo'])

  await names.first().click()
  await page.getByRole('button', { name: 'Modifica' }).click()
  await page.getByLabel('Cognome').fill('Bruni')
  await page.getByRole('button', { name: 'Salva', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Giulia Bruni' })).toBeVisible()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Giulia Neri' })).toBeVisible()

  const [copy] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scarica i suoi dati' }).click(),
  ])
  expect(copy.suggestedFilename()).toBe('Giulia Neri.json')
  const [sheet] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scheda in PDF' }).click(),
  ])
  expect(sheet.suggestedFilename()).toBe('Scheda di Giulia Neri.pdf')
  await expect(page.getByRole('link', { name: 'Diritti e dati' })).toBeVisible()
})
