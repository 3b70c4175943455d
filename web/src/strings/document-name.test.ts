import { expect, test } from 'vitest'

import { documentName, type NameParts } from '@/strings/document-name'

const scan: NameParts = {
  filename: 'scan_0012.pdf',
  filename_by_user: false,
  kind: 'ricevuta',
  state: 'pronto',
  title: null,
  supplier_name: null,
  contact: null,
  invoices: [],
  numbers: [],
}
const invoice = { type_code: 'TD01', number: '13/2026', counterparty_name: 'NERI SRL' }
const numbers = [{ value: '7' }]

test.each<[string, Partial<NameParts>, string]>([
  ['an invoice', { kind: 'fattura', invoices: [invoice] }, 'Fattura 13/2026 · NERI SRL'],
  [
    'the contact is the counterparty',
    { invoices: [invoice], contact: { name: 'Neri S.r.l.' } },
    'Fattura 13/2026 · Neri S.r.l.',
  ],
  ['a credit note', { invoices: [{ ...invoice, type_code: 'TD04' }] }, 'Nota di credito 13/2026 · NERI SRL'],
  ['several invoices in one file', { invoices: [invoice, invoice] }, 'scan_0012.pdf'],
  ['a receipt', { numbers, supplier_name: 'Bar Sport' }, 'Ricevuta 7 · Bar Sport'],
  ['a quote without counterparty', { kind: 'preventivo', numbers }, 'Preventivo 7'],
  ['a number to be checked', { numbers, state: 'da_verificare' }, 'scan_0012.pdf'],
  ['a contract', { kind: 'contratto', numbers }, 'scan_0012.pdf'],
  ['a title', { kind: 'contratto', title: 'Contratto quadro' }, 'Contratto quadro'],
  ['a file that the owner renamed', { filename_by_user: true, invoices: [invoice] }, 'scan_0012.pdf'],
])('the name of a document: %s', (_case, parts, name) => {
  expect(documentName({ ...scan, ...parts })).toBe(name)
})
