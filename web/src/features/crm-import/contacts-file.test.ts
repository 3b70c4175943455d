import { expect, test } from 'vitest'

import {
  type ContactsFile,
  gathering,
  leftOutCells,
  rejectedCsv,
  rejectedRows,
  rowsOf,
} from '@/features/crm-import/contacts-file'
import { piecesOf } from '@/features/crm-import/pieces'
import { checkDrafts } from '@/lib/contact-csv-rows'

/** As the worker hands it over. */
function read(name: string, text: string): ContactsFile {
  const add = gathering({ name, size: text.length }, '')
  const gathered = [...piecesOf(name, new TextEncoder().encode(text))].map(add)
  const { share, whole } = gathered.at(-1) ?? { share: 0, whole: null }
  if (!whole || share !== 1) throw new Error('the file is not whole')
  return whole
}

test('rejected rows come back as a file that can be corrected, read again, and start no formula', async () => {
  const sheet = read('a.csv', 'Nome;E-mail\nAnna;anna@\nLuca;luca@esempio.it\n=SOMMA(1);x\n')
  if (sheet.kind !== 'csv') throw new Error('a CSV file')
  const checked = await checkDrafts(rowsOf(sheet, sheet.guess))
  const rejected = rejectedRows(checked, [{ row: 3, message: 'Già presente' }])
  expect(rejected.map(({ row }) => row)).toEqual([3])
  const cells = leftOutCells(checked, [{ row: 2, message: 'PEC non valida: x' }])
  expect(cells.map(({ row }) => row)).toEqual([2, 2, 4])
  const text = rejectedCsv(sheet, [...rejected, ...cells])
  expect(text).toContain('"Anna";"anna@";2;"Email: Email non valida: «anna@»; PEC non valida: x"\r\n')
  expect(text).toContain(`"'=SOMMA(1)"`)
  const again = read('b.csv', text)
  expect(again.kind === 'csv' && again.guess).toEqual(['first_name', 'email', null, null])
})

test('rejected cards come back as a spreadsheet', async () => {
  const cards = read('a.vcf', 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEMAIL:anna@\nEND:VCARD\n')
  const checked = await checkDrafts(rowsOf(cards, []))
  expect(rejectedCsv(cards, leftOutCells(checked, []))).toContain('"anna@"')
})

test('a file of many pieces is whole and in order', () => {
  const text = `Nome\n${Array.from({ length: 1_000 }, (_, number) => `Anna ${number}`).join('\n')}`
  const drafts = [...rowsOf(read('a.csv', text), ['first_name'])]
  expect(drafts.map(({ draft }) => draft.first_name?.[0]).slice(-2)).toEqual(['Anna 998', 'Anna 999'])
  expect(() => read('b.csv', 'Nome')).toThrow('Il file contiene solo i titoli')
})
