import { expect, test } from 'vitest'

import { extensionOf, keyOf, tidyName } from '@/lib/object-names'

const HOSTED = /^(?:\w|\/|!|-|\.|\*|'|\(|\)| |&|\$|@|=|;|:|\+|,|\?)*$/

test.each([
  'fattura.pdf',
  'Perché è così.pdf',
  '100% = tutto.txt',
  'a/b\\c.pdf',
  '..',
  '日本 🙂.png',
  'e\u0300.pdf',
  '=C3=28',
])('the key of «%s» is one that every server takes, and gives the name back', (name) => {
  expect(keyOf(name)).toMatch(HOSTED)
  expect(keyOf(name)).not.toMatch(/\/|^\./)
  const back = decodeURIComponent(keyOf(name).replaceAll(/=([0-9A-F]{2})/g, '%$1'))
  expect(back).toBe(name.normalize('NFC'))
})

test('a name is tidied without losing its ending', () => {
  expect(tidyName(' fat\ntura.PDF ')).toBe('fat tura.PDF')
  expect(tidyName('.pdf')).toBe('.pdf')
  expect(tidyName('   ')).toBe('Documento')
  const long = tidyName(`${'è'.repeat(400)}.pdf`)
  expect(long).toMatch(/è\.pdf$/)
  expect(keyOf(long).length).toBeLessThanOrEqual(900)
})

test('the ending counts in lower case', () => {
  expect(extensionOf('IT01_0001.XML.P7M')).toBe('p7m')
  expect(extensionOf('senza')).toBe('')
  expect(extensionOf('.pdf')).toBe('')
})
