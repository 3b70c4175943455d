import { expect, test } from 'vitest'

import { holidayName } from '@/lib/holidays'

test.each([
  ['2026-01-06', 'Epifania'],
  ['2026-06-02', 'Festa della Repubblica'],
  ['2026-12-26', 'Santo Stefano'],
  ['2025-10-04', null],
  ['2026-10-04', 'San Francesco'],
  ['2030-10-04', 'San Francesco'],
  ['2026-11-21', null],
])('%s is %s', (day, name) => {
  expect(holidayName(day)).toBe(name)
})

// Early and late Easters among them, and the two years that simpler rules get wrong.
test.each([
  '1981-04-19',
  '1954-04-18',
  '2008-03-23',
  '2024-03-31',
  '2025-04-20',
  '2026-04-05',
  '2027-03-28',
  '2035-03-25',
  '2049-04-18',
  '2076-04-19',
])('Easter is on %s, and the Monday after it is free', (easter) => {
  const monday = new Date(Date.parse(`${easter}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
  expect(holidayName(easter)).toBe('Pasqua')
  expect(holidayName(monday)).toBe('Lunedì dell’Angelo')
})

test('a holiday that falls on Easter Monday keeps its own name', () => {
  expect(holidayName('2011-04-25')).toBe('Festa della Liberazione')
})
