import { expect, test } from 'vitest'

import { readContactsFile, rejectedCsv, rejectedRows, rowsOf } from '@/features/crm-import/contacts-file'
import { checkDrafts } from '@/lib/contact-csv-rows'

const file = (name: string, text: string) => new File([text], name)

test('rejected rows come back as a file that can be corrected, read again, and start no formula', async () => {
  const read = await readContactsFile(file('a.csv', 'Nome;E-mail\nAnna;anna@\nLuca;luca@esempio.it\n=SOMMA(1);x\n'))
  if (read.kind !== 'csv') throw new Error('a CSV file')
  const checked = await checkDrafts(rowsOf(read, read.guess))
  const rejected = rejectedRows(checked, [{ row: 3, message: 'Già presente' }])
  expect(rejected.map(({ row }) => row)).toEqual([2, 3, 4])
  const text = rejectedCsv(read, rejected)
  expect(text).toContain('"Anna";"anna@";2;"E-mail non valida: «anna@»"\r\n')
  expect(text).toContain(`"'=SOMMA(1)"`)
  const again = await readContactsFile(file('b.csv', text))
  expect(again.kind === 'csv' && again.guess).toEqual(['first_name', 'email', null, null])
})

test('rejected cards come back as a spreadsheet', async () => {
  const read = await readContactsFile(file('a.vcf', 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEMAIL:anna@\nEND:VCARD\n'))
  const checked = await checkDrafts(rowsOf(read, []))
  expect(rejectedCsv(read, rejectedRows(checked, []))).toContain('"anna@"')
})
