import { expect, test } from 'vitest'

import { csvOf } from '@/lib/csv'

const cell = (value: string | number) => csvOf(['x'], [[value]]).split('\r\n')[1]

test('a spreadsheet set to Italian reads columns, accents and numbers', () => {
  expect(csvOf(['Data', 'Crediti'], [['caffè', -1234.5]])).toBe('\uFEFF"Data";"Crediti"\r\n"caffè";-1234,5\r\n')
})

test.each([
  ['=1+1', `"'=1+1"`],
  ['+39', `"'+39"`],
  ['-2', `"'-2"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['  =1', `"'  =1"`],
  ['|cmd', `"'|cmd"`],
])('%j stays text', (value, line) => {
  expect(cell(value)).toBe(line)
})

test('quotes, separators and line breaks stay inside their cell', () => {
  expect(cell('dice "a;b"\nfine')).toBe('"dice ""a;b""\nfine"')
})

test('a number below zero stays a number', () => {
  expect(cell(-5)).toBe('-5')
})
