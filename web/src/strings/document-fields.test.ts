import { expect, test } from 'vitest'

import { fieldChoices, fieldText, usualFields } from '@/strings/document-fields'

const plain = (text: string) => text.replaceAll(/\s/g, ' ')

test('an amount is written in the currency of its document, a type in words', () => {
  expect(plain(fieldText('total', '122000'))).toBe('1.220,00 €')
  expect(plain(fieldText('total', '122000', 'USD'))).toBe('1.220,00 USD')
  expect(fieldText('type_code', 'TD04')).toBe('Nota di credito')
})

test('what an invoice needs can be added, and a value that is not usual stays a choice', () => {
  expect(usualFields).toEqual(expect.arrayContaining(['due', 'withholding', 'type_code', 'currency']))
  expect(fieldChoices('currency', 'SEK')[0]).toBe('SEK')
  expect(fieldChoices('currency', 'USD')).toEqual(fieldChoices('currency', null))
  expect(fieldChoices('number', '7')).toEqual([])
})
