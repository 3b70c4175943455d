import { expect, test } from 'vitest'

import type { InvoiceContent } from '@/data/invoice-content'
import { likelyOwners } from '@/data/own-party'

type Sides = Pick<InvoiceContent, 'supplier' | 'customer'>

const party = (name: string, vat_number: string | null, more: Partial<Sides['supplier']> = {}) =>
  ({ name, vat_country: 'IT', vat_number, tax_code: null, ...more }) as Sides['supplier']
const me = party('Studio Ferri', '12345670587')

test('who stands on every invoice comes alone', () => {
  const invoices = [
    { supplier: me, customer: party('Rossi', '09876540155') },
    { supplier: me, customer: party('Neri', null, { tax_code: 'NRELRA80A01H501X' }) },
    { supplier: party('Tipografia', '00743110157'), customer: { ...me, vat_number: 'it 12345670587' } },
  ]
  expect(likelyOwners(invoices)).toEqual([{ name: 'Studio Ferri', vatNumber: '12345670587', taxCode: null, count: 3 }])
})

test('of one invoice both are asked about, and nobody without an Italian number', () => {
  expect(
    likelyOwners([{ supplier: me, customer: party('Rossi', null, { tax_code: 'RSSMRA80A01H501U' }) }]),
  ).toHaveLength(2)
  const abroad = party('GmbH', '123456789', { vat_country: 'DE' })
  expect(likelyOwners([{ supplier: me, customer: abroad }]).map(({ name }) => name)).toEqual(['Studio Ferri'])
  expect(likelyOwners([])).toEqual([])
})
