/**
 * Contacts in from a file of 2,000 rows, a merge and its undoing, and the whole import taken back.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const ROWS = 2_000
const BAD = 20

/** A name like no other: what sounds alike would be taken for one person twice. */
function word(number: number): string {
  const sounds = ['b', 'c', 'd', 'f', 'g', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z']
  return `È${[1, 14, 196, 2_744, 38_416, 537_824].map((place) => `${sounds[Math.floor(number / place) % 14]}o`).join('')}`
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => `${word(number)} ${word(number * 7_919)};persona${number}@esempio.it`)

/** As an Italian spreadsheet writes it: semicolons, Windows-1252; some wrong, and one person twice. */
function italianCsv(): Buffer {
  const rows = Array.from({ length: ROWS }, (_, number) => {
    if (number < BAD) return `;;non-un-indirizzo-${number};;Forlì;`
    // Two spellings of one name, without an address that would tell at once.
    if (number === BAD || number === BAD + 1) return `Nicolò;D’Angelo;;;Cefalù;"cliente; ""storico"""`
    return `${word(number)};${word(number * 7_919)};persona${number}@esempio.it;+39 333 ${String(1_000_000 + number)};Forlì;`
  })
  const text = ['Nome;Cognome;E-mail;Cell.;Città;Note', ...rows].join('\r\n')
  return Buffer.from(Uint8Array.from(text, (character) => (character === '’' ? 0x92 : character.charCodeAt(0))))
}

const csv = (name: string, content: string | Buffer) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

test('2,000 rows go in, two contacts become one and two again, and everything comes out', async ({ page }) => {
  await page.goto('/crm/importa')
  await page.getByLabel('File di contatti').setInputFiles(csv('clienti.csv', italianCsv()))
  await expect(page.getByText('1.980 pronti')).toBeVisible()
  await expect(page.getByText('20 da correggere')).toBeVisible()
  await expect(page.getByLabel('Che cosa contiene «Cell.»')).toHaveValue('phone')
  await page.getByRole('radio', { name: /^Sì, e so dire/ }).check()
  await page.getByRole('button', { name: 'Importa 1.980 contatti' }).click()
  await expect(page.getByText(/^Scegli almeno un mezzo/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('radio', { name: /No, o non lo so/ }).check()
  await page.getByRole('radio', { name: /^Crea/ }).check()
  await page.getByRole('button', { name: 'Importa 1.980 contatti' }).click()
  await expect(page.getByRole('progressbar', { name: 'Avanzamento dell’importazione' })).toBeVisible()
  await expect(page.getByText('«clienti.csv» è importato')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('definition').first()).toHaveText('1.980')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scarica le righe da correggere' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('da-correggere.csv')

  await page.getByRole('link', { name: 'Cerca doppioni' }).click()
  const compare = page.getByRole('button', { name: /Confronta e unisci Nicolò/ })
  await compare.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unisci' }).click()
  await expect(page.getByText('Contatti uniti')).toBeVisible()
  await expect(compare).toBeHidden()
  await page.getByRole('button', { name: 'Annulla unione', exact: true }).click()
  await expect(compare).toBeVisible()

  await page.goto('/crm/importa')
  await page.getByRole('button', { name: 'Annulla importazione di clienti.csv' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Annulla importazione' }).click()
  await expect(page.getByText(/Importazione annullata: 1\.9/)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(/ · annullata/)).toBeVisible()
})

test('a connection that breaks loses no row, and half a quotation mark is explained', async ({ page, console }) => {
  console.allow(/Failed to load resource|ERR_/)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/crm/importa')
  const field = page.getByLabel('File di contatti')
  await field.setInputFiles(csv('rotto.csv', 'Nome;Note\nAnna;x\nLuca;"senza fine\n'))
  await expect(page.getByText(/Alla riga 3 si apre una virgoletta/)).toBeVisible()

  await field.setInputFiles(csv('due.csv', 'Nome;E-mail\nAnna;anna@esempio.it\nLuca;luca@esempio.it\n'))
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  // The server takes the rows, and its answer is lost.
  await page.route(
    '**/rpc/import_contacts',
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Importa 2 contatti' }).click()
  await expect(page.getByText('«due.csv» è importato')).toBeVisible()
  await expect(page.getByRole('definition').first()).toHaveText('2')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Importa un altro file' }).click()
  const [cards] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scarica tutti in vCard' }).click(),
  ])
  expect(readFileSync(await cards.path(), 'utf8')).toContain('EMAIL:luca@esempio.it')
})

test('all sure pairs are merged at once, and are apart again at once @journey', async ({ page }) => {
  const twice = ['Anna;Verdi;Via Po 1', 'Anna;Verdi;Via Roma 2', 'Luca;Bianchi;', 'Luca;Bianchi;']
  await page.goto('/crm/importa')
  await page
    .getByLabel('File di contatti')
    .setInputFiles(csv('doppi.csv', ['Nome;Cognome;Indirizzo', ...twice].join('\n')))
  await page.getByRole('button', { name: 'Importa 4 contatti' }).click()
  await page.getByRole('link', { name: 'Cerca doppioni' }).click()
  const pairs = page.getByRole('list', { name: 'Possibili doppioni' })
  await expect(pairs.getByRole('checkbox')).toHaveCount(2)
  for (const box of await pairs.getByRole('checkbox').all()) await box.check()
  await page.getByRole('region', { name: 'Coppie scelte' }).getByRole('button', { name: 'Unisci' }).click()
  const summary = page.getByRole('dialog', { name: 'Fare 2 unioni?' })
  await expect(summary.getByText(/^Non restano: indirizzo Via/)).toBeVisible()
  await expectAccessible(page)
  await summary.getByRole('button', { name: 'Unisci' }).click()
  await expect(page.getByText('Nessun doppione')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla tutte' }).click()
  await expect(pairs.getByRole('checkbox')).toHaveCount(2)
})

test('an import whose tab was closed goes on in another one, and nobody comes twice @journey', async ({
  page,
  context,
  console,
}) => {
  console.allow(/Failed to load resource/)
  const file = csv('lungo.csv', `Nome;E-mail\n;x\n${rowsOf(120).join('\n')}`)
  await page.goto('/crm/importa')
  await page.getByLabel('File di contatti').setInputFiles(file)
  // The first portion arrives, the line is dead for the second when the tab is closed.
  let portions = 0
  await page.route('**/rpc/import_contacts', (route) => (portions++ === 0 ? route.continue() : route.abort()))
  await page.getByRole('button', { name: 'Importa 120 contatti' }).click()
  await expect(page.getByText(/Connessione interrotta a 50 di 120/)).toBeVisible()
  // Leaving gives up what is under way; closing would let go of what the route still holds, and it would arrive.
  await page.goto('about:blank')
  await page.close()

  const other = await context.newPage()
  await other.goto('/crm/importa')
  await expect(other.getByText(/interrotta a 50 di 120/)).toBeVisible()
  await other.getByRole('button', { name: 'Riprendi lungo.csv' }).click()
  await other.getByLabel('File di contatti').setInputFiles(file)
  await other.getByRole('button', { name: 'Importa 120 contatti' }).click()
  await expect(other.getByText('«lungo.csv» è importato')).toBeVisible()
  await expect(other.getByText(/120 aggiunti, 1 scartato/)).toBeVisible()
})

/** Made by Excel's own rules (openpyxl): a title above the heading, a day, a formula, and a second sheet. */
const workbook = `import openpyxl, datetime, io, sys
book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Clienti'
sheet.append(['Elenco clienti 2026'])
sheet.merge_cells('A1:F1')
sheet.append([])
sheet.append(['Ragione sociale', 'Nome', 'Cognome', 'P.IVA', 'E-mail', 'Ultimo contatto'])
sheet.append(['Orto Verde Srl', 'Anna', 'Verdi', '00743110157', 'anna@orto.example', datetime.date(2026, 3, 1)])
sheet.append(['Orto Verde Srl', 'Luca', 'Neri', '00743110157', 'luca@', None])
book.create_sheet('Fornitori').append(['Nome', 'Cognome'])
book['Fornitori'].append(['Ugo', 'Foscolo'])
file = io.BytesIO()
book.save(file)
sys.stdout.buffer.write(file.getvalue())`

test('an Excel file brings companies and people, and a wrong cell costs no row @journey', async ({ page }) => {
  const buffer = execFileSync('python', ['-c', workbook])
  await page.goto('/crm/importa')
  await page.getByLabel('File di contatti').setInputFiles({ name: 'clienti.xlsx', mimeType: '', buffer })
  await expect(page.getByText('2 pronti, 1 cella da controllare')).toBeVisible()
  await page.getByLabel('Foglio').selectOption('Fornitori')
  await expect(page.getByText('1 pronto')).toBeVisible()
  await page.getByLabel('Foglio').selectOption('Clienti')
  await expect(page.getByRole('cell', { name: 'Orto Verde Srl (azienda)' })).toHaveCount(2)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Importa 2 contatti' }).click()
  await expect(page.getByText('«clienti.xlsx» è importato')).toBeVisible()
  await page.getByText(/Una cella non è entrata/).click()
  await expect(page.getByText('Riga 5: Email: Email non valida: «luca@»')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Aziende' }).click()
  await expect(page.getByRole('link', { name: /Orto Verde Srl/ })).toHaveCount(1)
})
