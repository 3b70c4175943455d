import { expect, test } from 'vitest'

import { type PageWord, placeOfValue } from '@/lib/word-places'

/** Words of a line, each as wide as its letters. */
function line(y: number, x: number, text: string): PageWord[] {
  let at = x
  return text.split(' ').map((word): PageWord => {
    const left = at
    at += word.length * 100 + 100
    return [word, left, y, at - 100, y + 120, 95]
  })
}

const page = [
  ...line(500, 500, 'Fattura n. 12/2026 del 20 novembre 2026'),
  ...line(1000, 500, 'Imponibile'),
  ...line(1000, 7000, '€ 1.000,00'),
  ...line(1200, 500, 'Totale da pagare:'),
  ...line(1200, 7000, '1.220,00 EUR'),
  ...line(2000, 500, 'Scadenza'),
  ...line(2150, 500, '20/12/2026'),
  ...line(3000, 500, 'IBAN: IT60 X054 2811 1010 0000 0123 456'),
]

test.each([
  ['money', '122000', [7000, 1200, 7800, 1320], 'Totale da pagare'],
  ['money', '100000', [7000, 1000, 8000, 1120], 'Imponibile'],
  ['day', '2026-11-20', [2600, 500, 4400, 620], 'del'],
  ['day', '2026-12-20', [500, 2150, 1500, 2270], 'Scadenza'],
  ['text', 'IT60X0542811101000000123456', [1100, 3000, 4300, 3120], 'IBAN'],
  ['text', '12/2026', [1600, 500, 2300, 620], 'Fattura n'],
] as const)('the %s %s is found with the words beside it', (type, value, box, label) => {
  const place = placeOfValue(page, type, value)
  expect(place?.label).toBe(label)
  expect([place?.box[1], place?.box[3]]).toEqual([box[1], box[3]])
})

test('what does not stand on the page has no place', () => {
  expect(placeOfValue(page, 'money', '99900')).toBeNull()
  expect(placeOfValue([], 'text', 'Rossi')).toBeNull()
})
