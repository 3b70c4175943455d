/**
 * «Attività e dati fiscali»: filled in, refused where it is wrong, kept, and copied from one's own invoices.
 */
import { readFileSync } from 'node:fs'

import { sampleInvoice } from '../src/features/documents/sample-invoice'

import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test('the business is filled in, wrong values are refused, and all of it is kept @journey', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('link', { name: /Attività e dati fiscali/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Attività e dati fiscali' })).toBeVisible()
  await page.getByLabel('Nome dell’attività').fill('Studio Rossi')
  await page.getByLabel('Che lavoro fai?').fill('Fotografa')
  await page.getByRole('radio', { name: 'Semplificato' }).check()
  await page.getByLabel('Codice ATECO').fill('741201')
  await page.getByRole('button', { name: 'Salva l’attività' }).click()
  await expect(page.getByText('Attività salvata')).toBeVisible()
  await expect(page.getByLabel('Codice ATECO')).toHaveValue('74.12.01')

  await page.getByLabel('Partita IVA').fill('12345678901')
  await page.getByRole('button', { name: 'Salva i dati fiscali' }).click()
  await expect(page.getByText(/Partita IVA non valida/)).toBeVisible()
  await page.getByLabel('Partita IVA').fill('IT 0048 8410 010')
  await page.getByLabel('PEC', { exact: true }).fill('Studio@Pec.Example')
  await page.getByLabel('Codice destinatario SdI').fill('m5uxcr1')
  await page.getByLabel('Via e numero').fill('Via Po 3')
  await page.getByLabel('CAP').fill('40121')
  await page.getByLabel('Comune').fill('Bologna')
  await page.getByLabel('Provincia').fill('bo')
  await page.getByLabel('Telefono dell’attività').fill('051 220117')
  await page.getByRole('button', { name: 'Salva i dati fiscali' }).click()
  await expect(page.getByText('Dati fiscali salvati')).toBeVisible()

  const account = page.getByLabel('IBAN', { exact: true })
  await account.fill('IT60X0542811101000000123457')
  await page.getByRole('button', { name: 'Salva i pagamenti' }).click()
  await expect(page.getByText(/IBAN non valido/)).toBeVisible()
  await expect(account).toHaveValue('IT60X0542811101000000123457')
  await account.fill('it60 x054 2811 1010 0000 0123 456')
  await page.getByRole('button', { name: 'Salva i pagamenti' }).click()
  await expect(page.getByText('Dati di pagamento salvati')).toBeVisible()

  await page.reload()
  const kept: [string, string][] = [
    ['Nome dell’attività', 'Studio Rossi'],
    ['Partita IVA', '00488410010'],
    ['PEC', 'studio@pec.example'],
    ['Codice destinatario SdI', 'M5UXCR1'],
    ['Via e numero', 'Via Po 3'],
    ['Provincia', 'BO'],
    ['Telefono dell’attività', '+39051220117'],
    ['IBAN', 'IT60 X054 2811 1010 0000 0123 456'],
  ]
  for (const [label, value] of kept) await expect(page.getByLabel(label, { exact: true })).toHaveValue(value)
  await expect(page.getByRole('radio', { name: 'Semplificato' })).toBeChecked()
  // Where the tax numbers were before.
  await page.goto('/settings/profile#dati-fiscali')
  await expect(page).toHaveURL('/settings/business')
})

test('one’s own invoices propose the account and the address, with their source', async ({ page }) => {
  const invoice = sampleInvoice(new Date())
  const file = { name: invoice.name, mimeType: 'application/xml', buffer: Buffer.from(await invoice.arrayBuffer()) }
  await page.goto('/documents')
  await page.getByLabel('File da caricare').setInputFiles(file)
  await expect(page.getByRole('row').filter({ hasText: invoice.name })).toContainText('445,30 €', { timeout: 30_000 })
  await page.goto('/settings/business')
  await page.getByLabel('Partita IVA').fill('12345670587')
  await page.getByRole('button', { name: 'Salva i dati fiscali' }).click()
  await expect(page.getByText('Dati fiscali salvati')).toBeVisible()

  await expect(page.getByRole('link', { name: /^dalla fattura 128\/ESEMPIO del/ }).first()).toBeVisible()
  await page.getByRole('button', { name: /^Usa IT/ }).click()
  await expect(page.getByLabel('IBAN', { exact: true })).not.toHaveValue('')
  await page.getByRole('button', { name: 'Salva i pagamenti' }).click()
  await expect(page.getByText('Dati di pagamento salvati')).toBeVisible()
  await page.getByRole('button', { name: /^Usa Via dei Caratteri 12/ }).click()
  await expect(page.getByLabel('Comune')).toHaveValue('Roma')
  await page.getByRole('button', { name: 'Salva i dati fiscali' }).click()
  await expect(page.getByText('Dati fiscali salvati').last()).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Comune')).toHaveValue('Roma')
  await expect(page.getByRole('button', { name: /^Usa IT/ })).toHaveCount(0)
})

test('a logo is seen before it is saved, heads the notice, and goes again', async ({ page, account }) => {
  await page.goto('/settings/business')
  const buffer = readFileSync(new URL('../public/icon-192.png', import.meta.url))
  await page.getByLabel('Immagine del logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
  await expect(page.getByRole('img', { name: 'Anteprima del logo' })).toBeVisible()
  await page.getByRole('button', { name: 'Salva logo' }).click()
  await expect(page.getByText('Logo salvato')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('img', { name: /^Logo di/ })).toBeVisible()

  const add = "insert into public.contacts (user_id, type, first_name) values ($1, 'persona', 'Carla') returning id"
  await page.goto(`/settings/ai-notice?cliente=${ask(account, add).trim()}`)
  await expect(page.getByRole('article', { name: 'Informativa' })).toBeVisible()
  await expect(page.getByRole('img', { name: /^Logo di/ })).toBeVisible()

  await page.goto('/settings/business')
  await page.getByRole('button', { name: 'Togli', exact: true }).click()
  await expect(page.getByText('Logo tolto')).toBeVisible()
  await expect(page.getByRole('img', { name: /^Logo di/ })).toBeHidden()
})
