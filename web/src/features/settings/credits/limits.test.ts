import { expect, test } from 'vitest'

import { limitsOf, limitsSchema, settingsFrom } from '@/features/settings/credits/limits'

test.each([
  ['5', '', { low_threshold: 5, monthly_cap: null }],
  ['0', '0', { low_threshold: 0, monthly_cap: 0 }],
  [' 1.000 ', '20.000', { low_threshold: 1000, monthly_cap: 20000 }],
])('«%s» and «%s» are what the table holds', (threshold, cap, row) => {
  expect(settingsFrom(limitsSchema.parse({ threshold, cap }))).toEqual(row)
})

test.each(['', '-1', '2,5', 'pochi', '1000001'])('«%s» is no threshold', (threshold) => {
  expect(limitsSchema.safeParse({ threshold, cap: '' }).success).toBe(false)
})

test('a stored row comes back unchanged', () => {
  const row = { low_threshold: 7, monthly_cap: 300 }
  expect(settingsFrom(limitsOf(row))).toEqual(row)
})
