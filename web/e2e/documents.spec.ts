/**
 * /documents: files in by choice, drop and paste; out again, renamed, deleted and taken back.
 */
import type { Page } from '@playwright/test'

import { hashOf, writePdf } from './support/files'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const archive = (page: Page) => page.getByRole('list', { name: 'Documenti' })

async function upload(page: Page, name: string, content = '%PDF-1.7\nciao'): Promise<void> {
  await page
    .getByLabel('File da caricare')
    .setInputFiles({ name, mimeType: 'application/pdf', buffer: Buffer.from(content) })
  await expect(archive(page).getByText(name)).toBeVisible()
}

test.beforeEach(async ({ page }) => {
  await page.goto('/documents')
  await expect(page.getByText('Ancora nessun documento')).toBeVisible()
})

test('a file goes in with its Italian name and comes out the same', async ({ page }, testInfo) => {
  const path = testInfo.outputPath('Perché è così (1).pdf')
  const hash = writePdf(path, 1)
  await page.getByLabel('File da caricare').setInputFiles(path)
  const row = archive(page).getByRole('listitem').filter({ hasText: 'Perché è così (1).pdf' })
  await expect(row).toContainText('PDF · 1 MB')

  await page.reload()
  const [download] = await Promise.all([page.waitForEvent('download'), row.getByRole('button').first().click()])
  expect(download.suggestedFilename()).toBe('Perché è così (1).pdf')
  expect(hashOf(await download.path())).toBe(hash)
})

test('several files go in at once, and a name twice gets a number', async ({ page }) => {
  const one = {
    name: 'fattura.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7\na'),
  }
  const two = { ...one, buffer: Buffer.from('%PDF-1.7\nb') }
  await page.getByLabel('File da caricare').setInputFiles([one, two])
  await expect(archive(page).getByRole('listitem')).toHaveCount(2)
  await expect(archive(page).getByText('fattura (2).pdf')).toBeVisible()
})

test('a file is dropped on the page, or pasted', async ({ page }) => {
  for (const [name, type] of [
    ['trascinato.txt', 'drop'],
    ['incollato.txt', 'paste'],
  ] as const) {
    const files = await page.evaluateHandle((file) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['ciao'], file, { type: 'text/plain' }))
      return transfer
    }, name)
    await page.evaluate(
      ([transfer, kind]) =>
        window.dispatchEvent(
          kind === 'drop'
            ? new DragEvent('drop', { dataTransfer: transfer, cancelable: true })
            : new ClipboardEvent('paste', { clipboardData: transfer }),
        ),
      [files, type] as const,
    )
    await expect(archive(page).getByText(name)).toBeVisible()
  }
})

test('what cannot be taken is refused with what to do, and nothing is sent', async ({ page }) => {
  const requests: string[] = []
  page.on('request', (request) => request.method() === 'POST' && requests.push(request.url()))
  await page.getByLabel('File da caricare').setInputFiles([
    { name: 'programma.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
    { name: 'vuoto.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) },
  ])
  await expect(page.getByText(/Questo tipo di file non si può caricare/)).toBeVisible()
  await expect(page.getByText(/Il file è vuoto/)).toBeVisible()
  expect(requests.filter((url) => url.includes('/storage/'))).toEqual([])
})

test('a file that only claims its type is refused by the server, in words', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  await page.getByLabel('File da caricare').setInputFiles({
    name: 'finto.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg onload=alert(1)>'),
  })
  await expect(page.getByText(/Questo tipo di file non si può caricare/)).toBeVisible()
})

test('a document is renamed; a taken name is refused under the field', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  await upload(page, 'uno.pdf')
  await upload(page, 'due.pdf', '%PDF-1.7\naltro')
  await page.getByRole('button', { name: 'Azioni per uno.pdf' }).click()
  await page.getByRole('menuitem', { name: 'Rinomina' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome').fill('due')
  await dialog.getByRole('button', { name: 'Rinomina' }).click()
  await expect(dialog.getByText(/Hai già un documento con questo nome/)).toBeVisible()
  await dialog.getByLabel('Nome').fill('Più bello')
  await dialog.getByRole('button', { name: 'Rinomina' }).click()
  await expect(dialog).toBeHidden()
  await expect(archive(page).getByText('Più bello.pdf')).toBeVisible()
  await page.reload()
  await expect(archive(page).getByText('Più bello.pdf')).toBeVisible()
  await expect(archive(page).getByText('uno.pdf')).toBeHidden()
})

test('a deletion is taken back with «Annulla», and kept when the page is left', async ({ page }) => {
  await upload(page, 'contratto.pdf')
  const remove = async () => {
    await page.getByRole('button', { name: 'Azioni per contratto.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Elimina' }).click()
    await expect(archive(page)).toBeHidden()
  }
  await remove()
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(archive(page).getByText('contratto.pdf')).toBeVisible()

  await remove()
  await page.reload()
  await expect(page.getByText('Ancora nessun documento')).toBeVisible()
})

test('the keyboard moves through the documents and deletes one', async ({ page }) => {
  await upload(page, 'tastiera.pdf')
  await page.keyboard.press('j')
  await expect(archive(page).getByRole('button').first()).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(page.getByText('Documento eliminato')).toBeVisible()
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
  await expect(archive(page).getByText('grande.pdf')).toBeVisible()
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
  const row = archive(page).getByRole('listitem').filter({ hasText: 'ripreso.pdf' })
  await expect(row).toContainText('20 MB')
  expect(sent.slice(0, 2)).toEqual(['HEAD', `PATCH ${6 * 1024 * 1024}`])
  await expect(page.getByText(/Un caricamento si è interrotto/)).toBeHidden()
  const [download] = await Promise.all([page.waitForEvent('download'), row.getByRole('button').first().click()])
  expect(hashOf(await download.path())).toBe(hash)
})
