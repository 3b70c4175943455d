/**
 * /documents: files in by choice, drop and paste, read before one's eyes, found by a word; out again, deleted and taken
 * back.
 */
import type { Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { hashOf, writePdf } from './support/files'
import { docx, mail, note, type Paper, pdf, scan, zip } from './support/papers'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const archive = (page: Page) => page.getByRole('table', { name: 'Documenti' })
const rowOf = (page: Page, name: string) => archive(page).getByRole('row').filter({ hasText: name })
const queue = (page: Page) => page.getByRole('list', { name: 'Coda' })

async function upload(page: Page, ...papers: Paper[]): Promise<void> {
  await page.getByLabel('File da caricare').setInputFiles(papers)
  for (const { name } of papers) await expect(rowOf(page, name)).toBeVisible()
}

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Azioni per ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Saves the document by its menu; the hash of what arrived. */
async function downloaded(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(page, name, 'Scarica')])
  expect(download.suggestedFilename()).toBe(name)
  return hashOf(await download.path())
}

/** Hands `papers` to the page as a drop or a paste does. */
async function handOver(page: Page, kind: 'drop' | 'paste', papers: Paper[]): Promise<void> {
  const files = papers.map(({ name, mimeType, buffer }) => ({ name, mimeType, data: buffer.toString('base64') }))
  await page.evaluate(
    ([all, how]) => {
      const transfer = new DataTransfer()
      for (const { name, mimeType, data } of all) {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
        transfer.items.add(new File([bytes], name, { type: mimeType }))
      }
      window.dispatchEvent(
        how === 'drop'
          ? new DragEvent('drop', { dataTransfer: transfer, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: transfer }),
      )
    },
    [files, kind] as const,
  )
}

test.beforeEach(async ({ page }) => {
  await page.goto('/documents')
  await expect(page.getByText('Ancora nessun documento')).toBeVisible()
})

test('papers of all kinds are dropped, read before one’s eyes, and a word of a scan is found', async ({ page }) => {
  // Nine documents, each read by processes of their own, while other tests have theirs read.
  test.setTimeout(180_000)
  const papers = [
    pdf('Preventivo bagno.pdf', 'Preventivo per il bagno\nTotale 1.200,00 euro', 'Condizioni di pagamento'),
    await scan(page, 'scontrino.png', ['Ferramenta Bianchi', 'Cacciavite a stella zigrinato', 'Totale 12,50']),
    docx('lettera.docx', 'Gentile cliente, la ringraziamo'),
    mail('posta.eml', 'In allegato il verbale', note('verbale.txt', 'Verbale della riunione di condominio')),
    zip('novembre.zip', pdf('dentro.pdf', 'Documento dentro un archivio')),
    pdf('Preventivo bagno (copia).pdf', 'Preventivo per il bagno\nTotale 1.200,00 euro', 'Condizioni di pagamento'),
    note('bolla.txt', 'Documento di trasporto'),
  ]
  await handOver(page, 'drop', papers)
  await expect(queue(page).getByText('Ce l’hai già')).toBeVisible({ timeout: 90_000 })
  // Everything comes to an end, and what is inside another stands below it.
  await expect(page.getByText('Tutto letto')).toBeAttached({ timeout: 60_000 })
  for (const { name } of papers) await expect(rowOf(page, name).first()).toBeVisible()
  await page.getByRole('button', { name: 'Che cosa c’è in novembre.zip' }).click()
  await expect(rowOf(page, 'dentro.pdf')).toBeVisible()

  await page.keyboard.press('/')
  await page.keyboard.type('zigrinato')
  const found = page.getByRole('list', { name: 'Documenti trovati' })
  await expect(found.getByRole('link', { name: 'scontrino.png' })).toBeVisible()
  await expect(found.locator('mark')).toContainText(/zigrinato/i)
  await expect(found.getByRole('link', { name: /pagina 1/ })).toHaveAttribute('href', /\?q=zigrinato&p=1$/)
})

test('a file goes in with its Italian name and comes out the same', async ({ page }, testInfo) => {
  const path = testInfo.outputPath('Perché è così (1).pdf')
  const hash = writePdf(path, 1)
  await page.getByLabel('File da caricare').setInputFiles(path)
  await expect(rowOf(page, 'Perché è così (1).pdf')).toContainText('PDF · 1 MB')
  // Nobody can read it: the reason is told, and it can be tried again.
  await expect(queue(page).getByRole('alert')).toBeVisible()
  await expect(queue(page).getByRole('button', { name: /^Riprova/ })).toBeVisible()
  expect(await downloaded(page, 'Perché è così (1).pdf')).toBe(hash)
})

test('files are dropped or pasted; two of one name live side by side', async ({ page }) => {
  await handOver(page, 'drop', [note('nota.txt', 'trascinata')])
  await handOver(page, 'paste', [note('nota.txt', 'incollata')])
  await expect(rowOf(page, 'nota.txt')).toHaveCount(2)
})

test('what cannot be taken is refused with what to do', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  const requests: string[] = []
  page.on('request', (request) => request.method() === 'POST' && requests.push(request.url()))
  await page.getByLabel('File da caricare').setInputFiles([
    { name: 'programma.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
    { name: 'vuoto.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) },
  ])
  await expect(page.getByText(/Questo tipo di file non si può caricare/)).toBeVisible()
  await expect(page.getByText(/Il file è vuoto/)).toBeVisible()
  expect(requests.filter((url) => url.includes('/storage/'))).toEqual([])
  // One that only claims its type is refused by the server.
  await page.getByRole('button', { name: 'Togli dall’elenco: programma.exe' }).click()
  await page.getByLabel('File da caricare').setInputFiles({
    name: 'finto.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg onload=alert(1)>'),
  })
  await expect(page.getByText(/Questo tipo di file non si può caricare/)).toBeVisible()
})

test('a document is renamed, put into the trash, taken back and deleted for good @journey', async ({ page }) => {
  await upload(page, note('uno.txt', 'uno'))
  await choose(page, 'uno.txt', 'Rinomina')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome').fill('Più bello')
  await dialog.getByRole('button', { name: 'Rinomina' }).click()
  await expect(rowOf(page, 'Più bello.txt')).toBeVisible()

  await choose(page, 'Più bello.txt', 'Elimina')
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(rowOf(page, 'Più bello.txt')).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'Più bello.txt' }).last()).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(page.getByText('Ancora nessun documento')).toBeVisible()

  await page.getByRole('link', { name: 'Cestino' }).click()
  await expect(page.getByText(/Fino al/)).toBeVisible()
  await choose(page, 'Più bello.txt', 'Elimina definitivamente…')
  await dialog.getByRole('button', { name: 'Elimina per sempre' }).click()
  await expect(page.getByText('Il cestino è vuoto')).toBeVisible()
})

test('several are tagged and filtered, and the address keeps it', async ({ page }) => {
  await upload(page, note('uno.txt', 'uno'), note('due.txt', 'due'), note('tre.txt', 'tre'))
  for (const name of ['uno.txt', 'due.txt']) await page.getByRole('checkbox', { name: `Seleziona ${name}` }).check()
  await page
    .getByRole('region', { name: /selezionati/ })
    .getByRole('button', { name: 'Tag' })
    .click()
  await page.getByRole('dialog').getByLabel('Tag').fill('cantiere')
  await page.getByRole('dialog').getByRole('button', { name: 'Aggiungi' }).click()
  await expect(rowOf(page, 'uno.txt')).toContainText('cantiere')

  await page.getByRole('button', { name: 'Filtri' }).click()
  await page.getByRole('dialog', { name: 'Filtri' }).getByLabel('Tag').selectOption('cantiere')
  await expect(rowOf(page, 'tre.txt')).toBeHidden()
  await page.reload()
  await expect(rowOf(page, 'uno.txt')).toBeVisible()
  await expect(rowOf(page, 'tre.txt')).toBeHidden()
})

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the sample is a click away; the list is accessible and fits', async ({ page }) => {
    await page.getByRole('button', { name: 'Prova con una fattura di esempio' }).click()
    await expect(rowOf(page, 'Fattura di esempio.xml')).toContainText('445,30 €', { timeout: 30_000 })
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
})

test('an upload is paused, goes on, and outlives its page', async ({ page }, testInfo) => {
  const path = testInfo.outputPath('grande.pdf')
  writePdf(path, 20)
  const patches: string[] = []
  // The second piece waits until the test has seen the first arrive.
  const { promise: seen, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/storage/v1/upload/resumable/**', async (route) => {
    if (route.request().method() === 'PATCH') patches.push(route.request().headers()['upload-offset'] ?? '')
    if (patches.length === 2) await seen
    await route.continue().catch(() => undefined)
  })
  await page.getByLabel('File da caricare').setInputFiles(path)
  await expect.poll(() => patches.length).toBe(2)
  await page.getByRole('button', { name: 'Metti in pausa: grande.pdf' }).click()
  await expect(page.getByText(/In pausa/)).toBeVisible()
  release()
  const last = page.waitForResponse((response) => response.headers()['upload-offset'] === String(20 * 1024 * 1024))
  await page.getByRole('button', { name: 'Riprendi: grande.pdf' }).click()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
  // It arrives while another page is open.
  await last
  await page.getByRole('link', { name: 'Docs' }).click()
  await expect(rowOf(page, 'grande.pdf')).toBeVisible()
  // What had arrived was not sent again.
  expect(patches[0]).toBe('0')
  expect(patches.slice(1)).not.toContain('0')
})

test('after a reload the same file goes on where it stopped', async ({ page }, testInfo) => {
  const path = testInfo.outputPath('ripreso.pdf')
  const hash = writePdf(path, 20)
  const sent: string[] = []
  let isCut = true
  page.on('dialog', (dialog) => void dialog.accept())
  await page.route(/\/storage\/v1\/upload\/resumable/, async (route) => {
    const request = route.request()
    sent.push(`${request.method()} ${request.headers()['upload-offset'] ?? ''}`.trim())
    // After the first piece the line is dead.
    if (isCut && request.headers()['upload-offset'] === String(6 * 1024 * 1024)) return
    await route.continue()
  })
  await page.getByLabel('File da caricare').setInputFiles(path)
  await expect.poll(() => sent).toContain(`PATCH ${6 * 1024 * 1024}`)
  await page.reload()
  await expect(page.getByText(/Un caricamento si è interrotto/)).toContainText('ripreso.pdf')

  isCut = false
  sent.length = 0
  await page.getByLabel('File da caricare').setInputFiles(path)
  await expect(rowOf(page, 'ripreso.pdf')).toContainText('20 MB')
  expect(sent.slice(0, 2)).toEqual(['HEAD', `PATCH ${6 * 1024 * 1024}`])
  await expect(page.getByText(/Un caricamento si è interrotto/)).toBeHidden()
  expect(await downloaded(page, 'ripreso.pdf')).toBe(hash)
})
