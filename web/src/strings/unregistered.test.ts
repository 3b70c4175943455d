import { expect, test } from 'vitest'

import { gapText, leftOutText } from '@/strings/unregistered'

const paper = (cents: number | null, currency = 'EUR') => ({ total_cents: cents, currency })
const plain = (text: string) => text.replaceAll(/\s/g, ' ')

test.each([
  [[paper(12_200)], '1 documento non ancora registrato, 122,00 €'],
  [[paper(90_080), paper(12_200)], '2 documenti non ancora registrati, 1.022,80 €'],
  [[paper(12_200), paper(null)], '2 documenti non ancora registrati, 122,00 € e 1 senza importo'],
  [[paper(null)], '1 documento non ancora registrato, senza importo'],
  [[paper(100), paper(200, 'USD')], '2 documenti non ancora registrati, 1,00 € e 2,00 USD'],
])('what no sum counts is named with its amount', (papers, text) => {
  expect(plain(leftOutText(papers))).toBe(text)
})

test.each([
  ['no_number', 'Numero: manca'],
  ['total', 'Totale: da confermare'],
  ['kind', 'Tipo di documento da confermare'],
  ['own_vat', 'Manca la tua P.IVA nei dati fiscali'],
  ['customer_vat_number', 'P.IVA cliente: da confermare'],
])('a gap is told in words', (gap, text) => {
  expect(gapText(gap)).toBe(text)
})
