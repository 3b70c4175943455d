import { expect, test } from 'vitest'

import example from '../../../tests/vectors/fattura_content.json'
import type { InvoiceContent } from './invoice-content'

test('the example that the functions write has the fields that the screens read', () => {
  const content = example as InvoiceContent
  expect(content.supplier.name).toBe('Studio Verdi di Anna Verdi')
  expect(content.lines[0]?.vat_rate).toBe('22.00')
  expect(content.installments[0]?.due_on).toBe('2026-12-10')
  expect(content.due_cents).toBe(106_880)
  expect(content.findings).toEqual([])
})
