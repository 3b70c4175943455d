import { expect, test } from 'vitest'

import { sampleInvoice } from '@/features/documents/sample-invoice'
import { vatNumber } from '@/lib/tax-ids'

test('the sample is an invoice whose figures fit and whose numbers are valid', async () => {
  const xml = await sampleInvoice(new Date(2026, 10, 21)).text()
  const all = (tag: string) => [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text]) => text)
  const sum = all('PrezzoTotale').reduce((total, text) => total + Number(text), 0)
  expect(sum).toBe(Number(all('ImponibileImporto')[0]))
  expect(all('ImportoTotaleDocumento')).toEqual(all('ImportoPagamento'))
  expect(sum + Number(all('Imposta')[0])).toBeCloseTo(Number(all('ImportoPagamento')[0]))
  expect(all('IdCodice').map((code) => vatNumber(code ?? ''))).toEqual(all('IdCodice'))
  expect(all('Data').concat(all('DataScadenzaPagamento'))).toEqual(['2026-11-21', '2026-12-05'])
  expect(new DOMParser().parseFromString(xml, 'application/xml').querySelector('parsererror')).toBeNull()

  const iban = all('IBAN')[0] ?? ''
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))
  expect(BigInt(digits) % 97n).toBe(1n)
})
