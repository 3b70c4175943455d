import { expect, test } from 'vitest'

import { lostPagesLabel, readingLabel } from '@/strings/documents'

test.each([
  ['in_coda', null, 0, 'In coda'],
  ['lettura', null, 0, 'Lettura'],
  ['lettura', 1, 0, 'Lettura'],
  ['lettura', 8, 0, 'Pagina 1 di 8 (lettura)'],
  ['ocr', 8, 2, 'Pagina 3 di 8 (riconoscimento del testo)'],
  ['ocr', 8, 8, 'Pagina 8 di 8 (riconoscimento del testo)'],
  ['ocr', 1, 0, 'Riconoscimento del testo'],
  ['analisi', 8, 8, 'Analisi'],
  ['annullato', 8, 3, 'Annullato'],
] as const)('%s, %s pages, %s done', (state, pages, done, text) => {
  expect(readingLabel({ state, pages, pages_done: done })).toBe(text)
})

test('pages that could not be read are counted', () => {
  expect(lostPagesLabel(1, 8)).toBe('1 pagina su 8 non letta')
  expect(lostPagesLabel(2, 8)).toBe('2 pagine su 8 non lette')
})
