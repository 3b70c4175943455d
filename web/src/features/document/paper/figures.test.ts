import { expect, test } from 'vitest'

import { moneyText, priceText, quantityText, vatText } from '@/features/document/paper/figures'

test('figures keep the decimals of the file and are grouped as Italians write', () => {
  expect(priceText('1234.5')).toBe('1.234,50')
  expect(priceText('0.00012345')).toBe('0,00012345')
  expect(quantityText('2.00')).toBe('2')
  expect(quantityText('circa due')).toBe('circa due')
})

test('a rate is a percentage, and without one its nature stands there', () => {
  expect(vatText('22.00', null)).toBe('22\u00A0%')
  expect(vatText('0.00', 'N2.2')).toBe('N2.2')
})

test('a currency that nobody knows is written as it stands', () => {
  expect(moneyText(122_000, 'EUR').replaceAll('\u00A0', ' ')).toBe('1.220,00 €')
  expect(moneyText(122_000, 'QQ')).toBe('1.220,00 QQ')
})
