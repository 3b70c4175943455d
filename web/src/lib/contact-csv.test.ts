import { expect, test } from 'vitest'

import { FileProblem, readCsv, refuseTooLarge } from '@/lib/contact-csv'
import { guessColumns, withColumn } from '@/lib/contact-csv-columns'
import { type Draft } from '@/lib/contact-cells'
import { checkDrafts, chunkAt, contactRow, draftsOf, type ImportRow } from '@/lib/contact-csv-rows'

const utf8 = (text: string) => new TextEncoder().encode(text)
const windows = (text: string) =>
  Uint8Array.from(text, (character) => (character === '€' ? 0x80 : character.charCodeAt(0)))
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from(`\uFEFF${text}`, (character) => character.charCodeAt(0)).buffer)

async function rowOf(draft: Draft): Promise<ImportRow> {
  const { contact } = await contactRow(2, draft)
  if (!contact) throw new Error('nobody is named')
  return contact
}

test.each([
  ['UTF-8', utf8('Nome;Città\nPerché;Forlì\n')],
  ['UTF-8', utf8('\uFEFFNome;Città\r\nPerché;Forlì')],
  ['Windows-1252', windows('Nome;Città\r\nPerché;Forlì\r\n')],
  ['UTF-16', utf16('Nome\tCittà\r\nPerché\tForlì\r\n')],
])('accents arrive from %s (%#)', (encoding, bytes) => {
  const table = readCsv(bytes)
  expect(table.header).toEqual(['Nome', 'Città'])
  expect(table.rows).toEqual([{ row: 2, cells: ['Perché', 'Forlì'], problem: null }])
  expect(table.encoding).toBe(encoding)
})

test.each([
  [';', 'Nome;Note\nAnna;"a, b; c"'],
  [',', 'Nome,Note\nAnna,"a, b; c"'],
  ['\t', 'Nome\tNote\nAnna\t"a, b; c"'],
  [';', 'sep=;\nNome;Note\nAnna;"a, b; c"'],
])('%j between the cells is found (%#)', (delimiter, text) => {
  const table = readCsv(utf8(text))
  expect(table.delimiter).toBe(delimiter)
  expect(table.rows[0]?.cells).toEqual(['Anna', 'a, b; c'])
})

test('rows are numbered as the spreadsheet does, over empty rows and breaks inside cells', () => {
  const { rows } = readCsv(utf8('Nome;Note\nAnna;"due\nrighe"\n;\n\nLuca;x'))
  expect(rows.map(({ row }) => row)).toEqual([2, 5])
})

test('empty lines between the rows take no contact away', () => {
  expect(readCsv(utf8(`Nome\n\n${'Anna\n\n'.repeat(30_000)}`)).rows).toHaveLength(30_000)
})

test('half a quotation mark is explained with its row, and nothing of the file is taken', () => {
  const text = 'Nome;Note\nAnna;x\nLuca;"senza fine\nMaria;y\n'
  expect(() => readCsv(utf8(text))).toThrow(/riga 3/)
})

test('quotation marks out of place spoil their row only, or the file when they swallow others', () => {
  expect(readCsv(utf8('Nome;Note\n"Bar "Gino" Roma";x\nLuca;y')).rows.map(({ problem }) => problem)).toEqual([
    'Le virgolette sono fuori posto',
    null,
  ])
  expect(() => readCsv(utf8('Nome;Note\nAnna;"aperta\nLuca;"altra"\n'))).toThrow(/riga 2/)
})

test('a row with more cells than titles is not guessed at', () => {
  expect(readCsv(utf8('Nome;Note\nAnna;x;y')).rows[0]?.problem).toMatch(/più celle/)
})

test('a file without titles keeps its first contact', () => {
  const { header, rows } = readCsv(utf8('Anna;anna@esempio.it\nLuca;luca@esempio.it'))
  expect(header).toEqual(['Colonna 1', 'Colonna 2'])
  expect(rows).toHaveLength(2)
})

test('titles are found below the name and the date of the sheet', () => {
  const { header, rows } = readCsv(
    utf8('Elenco clienti;;\nal 01/03/2026;;\n;;\nRagione sociale;P.IVA;Città\nOrto Srl;;Roma\n'),
  )
  expect(header).toEqual(['Ragione sociale', 'P.IVA', 'Città'])
  expect(rows).toEqual([{ row: 5, cells: ['Orto Srl', '', 'Roma'], problem: null }])
})

test('a contact above something like titles is not lost', () => {
  expect(readCsv(utf8('Anna;Roma\nNome;Città\n')).rows.map(({ row }) => row)).toEqual([2])
  expect(readCsv(utf8('x;Anna;Roma\ny;Luca;Bari\nNome;Cognome;Città\n')).rows).toHaveLength(2)
})

test.each([
  ['a spreadsheet', utf8('PK\u0003\u0004'), /Excel/],
  ['something binary', new Uint8Array([1, 0, 0, 2]), /non è un file di testo/],
  ['titles alone', utf8('Nome;Cognome\n'), /solo i titoli/],
  ['nothing', utf8('\n\n'), /non contiene righe/],
  ['too many columns', utf8(`${'a;'.repeat(201)}z\n1`), /202 colonne/],
  ['too many rows', utf8(`Nome\n${'Anna\n'.repeat(50_001)}`), /50\.000 righe/],
  ['a contact behind too many empty lines', utf8(`Nome\nAnna\n${'\n'.repeat(500_000)}Luca`), /dividilo/],
])('%s is refused in words', (_name, bytes, message) => {
  expect(() => readCsv(bytes)).toThrow(message)
})

test('a file above 50 MB is refused before it is read', () => {
  expect(() => refuseTooLarge({ size: 50 * 1024 * 1024 + 1 })).toThrow(FileProblem)
  expect(() => refuseTooLarge({ size: 0 })).toThrow(/vuoto/)
})

test.each([
  ['Nome,Cognome,Ragione sociale', ['first_name', 'last_name', 'business_name']],
  ['Cell.,Telefono,E-mail,P.IVA,Partita IVA', ['phone', 'phone', 'email', 'vat_number', null]],
  ['CF,Codice fiscale,CAP,Città,Prov.,Indirizzo', ['tax_code', null, 'postal_code', 'city', 'province', 'street']],
  ['PEC,E-mail PEC,Codice SDI,Note,Tag,Sito', ['pec', null, 'sdi_code', 'note', 'tags', 'website']],
  [
    'Cognome e nome,Indirizzo posta elettronica,Tipo posta elettronica,Nome visualizzato posta elettronica',
    ['family_first', 'email', null, null],
  ],
  ['Name,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Type', ['full_name', 'email', null, null, null]],
  ['Email,Consenso email,Email marketing,Newsletter,Etichetta', ['email', null, null, null, 'tags']],
  [
    'Ultimo contatto,Cliente dal,Data di nascita,Fatturato 2025,Saldo',
    ['last_contact', 'client_since', 'birthday', 'revenue', 'balance'],
  ],
  ['Nome azienda,Nominativo,Ruolo,Paese,Età', ['company', 'full_name', 'job_title', 'country', null]],
  [
    'First Name,Last Name,Organization Name,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Value',
    ['first_name', 'last_name', 'company', null, 'email', 'phone'],
  ],
])('the titles %s are understood', (titles, fields) => {
  expect(guessColumns(titles.split(','))).toEqual(fields)
})

test('a field moves to the column that it is chosen for', () => {
  expect(withColumn(['first_name', null, 'phone'], 1, 'first_name')).toEqual([null, 'first_name', 'phone'])
  expect(withColumn(['phone', null], 1, 'phone')).toEqual(['phone', 'phone'])
})

test('values arrive as the server stores them', async () => {
  const row = await rowOf({
    first_name: ['Anna'],
    last_name: ['Verdi'],
    company: ['Studio Verdi'],
    vat_number: ['IT 0764352 056-7'],
    email: ['Anna@Esempio.it; anna@esempio.it, altra@esempio.it'],
    phone: ['06 6982 1234 / 333 1234567', '+39 333 1234567'],
    tags: ['cliente, estero'],
    postal_code: ['185'],
    province: ['(RM)'],
    city: ['Roma\n(centro)'],
    website: ['www.verdi.example'],
    sdi_code: ['uf5a1b'],
    note: ['uno', 'due'],
  })
  expect(row).toMatchObject({
    type: 'persona',
    company: 'Studio Verdi',
    vat_number: '07643520567',
    emails: ['anna@esempio.it', 'altra@esempio.it'],
    tags: ['cliente', 'estero'],
    address: { postal_code: '00185', province: 'RM', city: 'Roma (centro)' },
    website: 'https://www.verdi.example',
    sdi_code: 'UF5A1B',
    note: 'uno\ndue',
  })
  expect(row.phones.map(({ norm }) => norm)).toEqual(['+390669821234', '+393331234567'])
})

test.each([
  [{ business_name: ['Rossi Srl'] }, { type: 'azienda', business_name: 'Rossi Srl' }],
  [{ full_name: ['Ferramenta Bo s.n.c.'] }, { type: 'azienda', business_name: 'Ferramenta Bo s.n.c.' }],
  [{ full_name: ['Mario De Rossi'] }, { type: 'persona', first_name: 'Mario', last_name: 'De Rossi' }],
  [{ family_first: ['Rossi Mario'] }, { type: 'persona', first_name: 'Mario', last_name: 'Rossi' }],
  [{ family_first: ['De Luca, Anna Maria'] }, { type: 'persona', first_name: 'Anna Maria', last_name: 'De Luca' }],
  [{ family_first: ['Cher'] }, { type: 'persona', first_name: null, last_name: 'Cher' }],
])('%j names a contact (%#)', async (draft, expected) => {
  expect(await rowOf(draft)).toMatchObject(expected)
})

test.each([
  [undefined, '01201'],
  ['ITALIA', '01201'],
  ['it', '01201'],
  ['Svizzera', '1201'],
  ['CH', '1201'],
])('the zeros of a postal code come back in Italy only: %s', async (country, postalCode) => {
  const row = await rowOf({ first_name: ['Anna'], postal_code: ['1201'], ...(country && { country: [country] }) })
  expect(row.address).toEqual({ postal_code: postalCode, ...(country && { country }) })
})

test('an address alone is somebody', async () => {
  expect(await rowOf({ email: ['x@y.it'] })).toMatchObject({ first_name: null, emails: ['x@y.it'] })
})

test.each([
  ['email', 'anna(at)esempio.it', 'Email non valida'],
  ['vat_number', '12345678901', 'Partita IVA non valida'],
  ['tax_code', 'RSSMRA80A01H501X', 'Codice fiscale non valido'],
  ['phone', '3.93331E+11', 'Telefono arrotondato da Excel'],
  ['phone', 'chiedere', 'Telefono non valido'],
  ['postal_code', '123456', 'CAP non valido'],
  ['last_contact', '31/02/2026', 'Data dell’ultimo contatto non valida'],
  ['last_contact', '01/01/2999', 'Data dell’ultimo contatto non valida'],
  ['revenue', 'molto', 'Fatturato: importo non valido'],
  ['city', 'x'.repeat(201), 'Supera i 200 caratteri'],
] as const)('a wrong cell costs the cell, not its row: %s «%s»', async (field, value, why) => {
  const { contact, remarks } = await contactRow(2, { first_name: ['Anna'], note: ['Sua'], [field]: [value] })
  expect(remarks).toEqual([{ row: 2, field, value, why, isKept: false }])
  expect(contact).toMatchObject({ first_name: 'Anna', note: `Sua\n${why}: ${value}`, emails: [], phones: [] })
})

test('a partita IVA of an unknown office comes in with a warning', async () => {
  const { contact, remarks } = await contactRow(2, { business_name: ['Rossi Srl'], vat_number: ['12345678903'] })
  expect(contact).toMatchObject({ vat_number: '12345678903', note: null })
  expect(remarks).toMatchObject([{ field: 'vat_number', isKept: true }])
})

const both = {
  business_name: ['Ferramenta Verdi Srl'],
  first_name: ['Anna'],
  last_name: ['Verdi'],
  vat_number: ['07643520567'],
  sdi_code: ['M5UXCR1'],
  pec: ['verdi@pec.example'],
  email: ['info@verdi.example, anna@verdi.example'],
  phone: ['06 6982 1234', '333 1234567'],
  city: ['Roma'],
  job_title: ['Titolare'],
  last_contact: ['1/3/26'],
  revenue: ['1.234,56'],
}

test('a company and a person in one row are both, each with their own', async () => {
  const row = await rowOf({ ...both, tax_code: ['RCCMNL83S18D969H'] })
  expect(row).toMatchObject({
    type: 'persona',
    first_name: 'Anna',
    business_name: null,
    vat_number: null,
    tax_code: 'RCCMNL83S18D969H',
    emails: ['anna@verdi.example'],
    phones: [{ norm: '+393331234567' }],
    address: {},
    job_title: 'Titolare',
    met_on: '2026-03-01',
    note: null,
  })
  expect(row.firm).toMatchObject({
    business_name: 'Ferramenta Verdi Srl',
    vat_number: '07643520567',
    tax_code: null,
    sdi_code: 'M5UXCR1',
    pec: 'verdi@pec.example',
    emails: ['info@verdi.example'],
    phones: [{ norm: '+390669821234' }],
    address: { city: 'Roma' },
    note: 'Fatturato: 1.234,56\u00A0€',
  })
  expect((await rowOf({ ...both, tax_code: ['07643520567'] })).firm?.tax_code).toBe('07643520567')
})

test('a sole trader whose business has their own name is one contact', async () => {
  const row = await rowOf({ ...both, business_name: ['VERDI ANNA'] })
  expect(row).toMatchObject({ first_name: 'Anna', vat_number: '07643520567', address: { city: 'Roma' } })
  expect(row.firm).toBeUndefined()
})

test('«Azienda» next to a partita IVA is the company that has it', () => {
  expect(guessColumns(['Azienda', 'Nome', 'P.IVA'])).toEqual(['business_name', 'first_name', 'vat_number'])
  expect(guessColumns(['Azienda', 'Nome'])).toEqual(['company', 'first_name'])
})

test('only a row without any name is refused', async () => {
  const { header, rows } = readCsv(utf8('Nome;E-mail;Città\nAnna;anna@;Roma\n;luca@;Roma\n;;Roma\n'))
  const checked = await checkDrafts(draftsOf(rows, guessColumns(header)))
  expect(checked.rows.map(({ row }) => row)).toEqual([2])
  expect(checked.remarks.map(({ row }) => row)).toEqual([2])
  const nobody = 'Manca il nome o la ragione sociale'
  expect(checked.rejections).toEqual([
    { row: 3, problems: [nobody, 'Email non valida: «luca@»'] },
    { row: 4, problems: [nobody] },
  ])
})

test('a truly other name with the same number is shown, a typing error is not', async () => {
  const names = ['Rossi Srl', 'ROSSI S.R.L', 'Rosi Srl', 'Bianchi Spa']
  const text = ['Ragione sociale;P.IVA', ...names.map((name) => `${name};07643520567`)].join('\n')
  const { header, rows } = readCsv(utf8(text))
  const { remarks } = await checkDrafts(draftsOf(rows, guessColumns(header)))
  expect(remarks).toEqual([expect.objectContaining({ row: 5, value: 'Bianchi Spa', isKept: true })])
})

test('a portion stays within what one request carries, and is never empty', async () => {
  const row = await rowOf({ first_name: ['Anna'], note: ['x'.repeat(19_000)] })
  const rows = Array.from({ length: 40 }, () => row)
  expect(JSON.stringify(chunkAt(rows, 0, 40)).length).toBeLessThan(300_000)
  expect(chunkAt(rows, 38, 40)).toHaveLength(2)
  expect(chunkAt([{ ...row, note: 'è'.repeat(400_000) }], 0, 40)).toHaveLength(1)
})
