/**
 * /documents/:id and /documents/fatture: a word of a scan is jumped to, an invoice is read as on paper, its due date becomes a
 * task and its supplier a contact.
 */
import { execFileSync } from 'node:child_process'

import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { note, type Paper, pdf, scan } from './support/papers'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const READ_MS = 45_000
const mark = (page: Page) => page.locator('[data-mark=loud]')
const viewer = (page: Page) => page.getByRole('region', { name: 'Pagine' })

/** Brings papers in and opens the first of them. */
async function open(page: Page, ...papers: [Paper, ...Paper[]]): Promise<void> {
  await page.goto('/documents')
  await page.getByLabel('File da caricare').setInputFiles(papers)
  const table = page.getByRole('table', { name: 'Documenti' })
  for (const { name } of papers) await expect(table.getByRole('link', { name })).toBeVisible({ timeout: READ_MS })
  await table.getByRole('link', { name: papers[0].name }).click()
  await expect(page.getByRole('heading', { name: papers[0].name })).toBeVisible()
}

test('a word of a scan is jumped to where it stands, and a question is answered with a passage', async ({ page }) => {
  const lines = [
    'Ferramenta Bianchi di Carlo Bianchi',
    'Cacciavite a stella zigrinato',
    'Consegna entro martedì prossimo',
  ]
  await open(page, await scan(page, 'scontrino.png', lines), note('appunti.txt', 'Chiamare il commercialista'))
  await expect(page.getByRole('progressbar')).toBeHidden({ timeout: READ_MS })

  await page.goto('/documents')
  await page.getByRole('searchbox').fill('zigrinato')
  await page.getByRole('link', { name: /pagina 1/ }).click()
  await expect(page.getByRole('status').filter({ hasText: '1 di 1' })).toBeVisible()
  // In the right half of the second line, where the picture has it.
  await expect(mark(page)).toBeInViewport()
  const picture = await page.getByRole('img', { name: 'Pagina 1' }).boundingBox()
  const box = await mark(page).boundingBox()
  if (!picture || !box) throw new Error('nothing is marked')
  expect(box.x).toBeGreaterThan(picture.x + picture.width * 0.3)
  expect(box.y + box.height / 2).toBeGreaterThan(picture.y + picture.height * 0.38)
  expect(box.y + box.height / 2).toBeLessThan(picture.y + picture.height * 0.58)

  await page.getByRole('tab', { name: 'Chiedi' }).click()
  await page.getByLabel('Chiedi al documento').fill('Quando è la consegna?')
  await page.getByRole('button', { name: 'Chiedi', exact: true }).click()
  await expect(page.getByText(/«.*martedì prossimo.*»/)).toBeVisible()
  await page.getByRole('button', { name: 'Vai a pagina 1' }).click()
  await expect(mark(page).first()).toBeInViewport()
  await expectAccessible(page)
})

test('a photographed invoice: its total is shown where it stands, corrected, and entered into the register', async ({
  page,
}) => {
  const lines = [
    'Bianchi Impianti srl - P.IVA 12345670157',
    'Fattura n. 77/2026 del 02/11/2026',
    'Imponibile 1.000,00',
    'IVA 22% 220,00',
    'Totale fattura 1.220,00',
    'Scadenza 02/12/2026',
  ]
  await open(page, await scan(page, 'fattura.jpg', lines))
  await expect(page.getByRole('progressbar')).toBeHidden({ timeout: READ_MS })
  const fields = page.getByRole('tabpanel', { name: 'Dati' })
  await fields.getByRole('button', { name: /^Dove: Totale/ }).click()
  await expect(mark(page)).toBeInViewport()

  await fields.getByRole('button', { name: 'Correggi Totale' }).click()
  await fields.getByLabel('Totale').fill('1.000,00')
  await fields.getByRole('button', { name: 'Salva' }).click()
  await expect(page.getByText('Totale: salvato')).toBeVisible()
  const total = fields.getByRole('listitem').filter({ hasText: 'Totale' })
  await expect(total).toContainText('1.000,00')
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(total).toContainText('1.220,00')

  await fields.getByRole('button', { name: 'Conferma tutti' }).click()
  await fields.getByRole('button', { name: 'Registra fattura' }).click()
  await expect(fields.getByText('Fattura 77/2026')).toBeVisible()
  await expect(fields.getByRole('button', { name: 'Segna come pagata' })).toBeVisible()
})

test('an invoice on paper enters the register by itself, is taken out, and comes back @journey', async ({
  page,
  account,
}) => {
  ask(account, "update public.profiles set vat_number = '01234567897' where user_id = $1")
  const lines = [
    'Fornitura Rossi Srl',
    'P.IVA 09876540155',
    'FATTURA n. 5/2026',
    'Data documento: 16/11/2026',
    'Imponibile 1.000,00',
    'IVA 22% 220,00',
    'Totale fattura 1.220,00',
    'Scadenza: 16/12/2099',
  ]
  await page.goto('/documents')
  const reminder = [
    'Fornitura Rossi Srl',
    'P.IVA 09876540155',
    'FATTURA',
    'Data documento: 17/11/2026',
    'Totale fattura 50,00',
  ]
  await page
    .getByLabel('File da caricare')
    .setInputFiles([pdf('fattura.pdf', lines.join('\n')), pdf('senza-numero.pdf', reminder.join('\n'))])
  await expect(page.getByText(/Nel registro: 1\.220,00.€ da pagare · Fornitura Rossi Srl/)).toBeVisible({
    timeout: READ_MS,
  })
  await expect(page.getByText(/Non ancora nel registro: .*Numero: manca/)).toBeVisible({ timeout: READ_MS })
  await page.goto('/documents/fatture')
  await expect(page.getByText(/registrata da sola/)).toBeVisible()
  await page.getByRole('link', { name: /^1 documento non ancora registrato, 50,00/ }).click()
  await expect(page.getByText('Numero: manca')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Ricevute' }).click()
  await expect(page.getByText('Numero: manca')).toBeHidden()
  await page.getByRole('link', { name: 'Fornitura Rossi Srl' }).click()
  await page.getByRole('button', { name: 'Togli dal registro' }).click()
  await expect(page.getByText('Non è nel registro per tua scelta.')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await page.getByRole('button', { name: 'Va bene' }).click()
  await expect(page.getByText('Registrata dai campi del documento.')).toBeVisible()
})

test('of a long document only the pages near the window are drawn; keys turn them', async ({ page }) => {
  const pages = Array.from({ length: 40 }, (_, index) => `Capitolato pagina ${index + 1}`)
  await open(page, pdf('capitolato.pdf', ...(pages as [string])))
  await expect(viewer(page).locator('canvas').first()).toBeVisible({ timeout: READ_MS })
  await page.getByLabel('Pagina', { exact: true }).fill('30')
  await page.keyboard.press('Enter')
  await expect(viewer(page).getByRole('region', { name: 'Pagina 30' }).locator('canvas')).toBeInViewport()
  expect(await viewer(page).locator('canvas').count()).toBeLessThan(8)
  await viewer(page).focus()
  await page.keyboard.press('j')
  await expect(page.getByLabel('Pagina', { exact: true })).toHaveValue('31')
  await page.keyboard.press('/')
  await expect(page.getByLabel('Cerca nel documento')).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/documents$/)
})

test('an electronic invoice is read as on paper; its due date becomes a task, its supplier a contact @journey', async ({
  page,
}) => {
  await page.goto('/documents')
  await page.getByRole('button', { name: 'Prova con una fattura di esempio' }).click()
  const row = page.getByRole('table', { name: 'Documenti' }).getByRole('row').filter({ hasText: '445,30' })
  await row.getByRole('link', { name: 'Fattura 128/ESEMPIO · Tipografia Esempio Srl' }).click({ timeout: READ_MS })
  await expect(page.getByText('Fattura di esempio.xml · caricato')).toBeVisible()
  const paper = page.getByRole('article')
  await expect(paper.getByRole('heading', { name: 'Fattura n. 128/ESEMPIO' })).toBeVisible()
  await expect(paper).toContainText('Tipografia Esempio Srl')
  await expect(paper).toContainText('IBAN IT36W0123402008000000654321')
  await expectAccessible(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scarica PDF' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/128.*\.pdf$/)

  await page.getByRole('tab', { name: 'Collega' }).click()
  await page.getByRole('button', { name: 'Crea contatto' }).click()
  await page.getByRole('link', { name: 'Apri la scheda di Tipografia Esempio Srl' }).click()
  // The contact shows both the invoice that waits and the paper it is on.
  await expect(page.getByRole('region', { name: 'Fatture ricevute in EUR' })).toContainText(/Devi pagare\s*445,30/)
  await expect(page.getByText('Via dei Caratteri 12')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Documenti (1)' })).toBeVisible()
  await page.goBack()
  await page.getByRole('tab', { name: 'Dati' }).click()
  await page.getByRole('button', { name: 'Ricordamelo' }).click()
  await expect(page.getByRole('button', { name: 'Promemoria creato' })).toBeDisabled()
  await page.getByRole('button', { name: 'Apri', exact: true }).click()
  const title = /^Paga fattura 128\/ESEMPIO di Tipografia Esempio Srl: 445,30/
  await expect(page.getByRole('dialog').getByLabel('Titolo')).toHaveValue(title)

  await page.goto('/documents/fatture')
  const list = page.getByRole('list', { name: 'Fatture' })
  await expect(list.getByRole('listitem')).toContainText('445,30')
  await expectAccessible(page)
  await list.getByRole('button', { name: /^Segna pagata/ }).click()
  await expect(page.getByText('Nessuna fattura passiva con questi filtri')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(list.getByRole('listitem')).toHaveCount(1)
  // The sample is of today.
  await page.getByRole('button', { name: 'Per il commercialista' }).click()
  const packet = page.getByRole('dialog', { name: 'Pacchetto per il commercialista' })
  await packet.getByLabel('Mese').selectOption({ index: 0 })
  await expect(packet).toContainText(/Ricevute\s*1 fattura · 445,30/)
  await expectAccessible(page)
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    packet.getByRole('button', { name: 'Scarica' }).click(),
  ])
  expect(zip.suggestedFilename()).toMatch(/^Pacchetto-\d{4}-\d{2}.*\.zip$/)
  const names = execFileSync('python', ['-m', 'zipfile', '-l', await zip.path()], { encoding: 'utf8' })
  expect(names).toMatch(/^ricevute\/\S+ Fattura 128-ESEMPIO Tipografia Esempio Srl\.xml/m)
  expect(names).toMatch(/^registro\.csv[\s\S]*^LEGGIMI\.txt/m)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await list.getByRole('link').click()
  await expect(paper).toBeVisible()
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Dati e collegamenti' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Segna come pagata' })).toBeVisible()
  await expectAccessible(page)
})
