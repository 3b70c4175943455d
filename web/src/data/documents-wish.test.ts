import { expect, test } from 'vitest'

import { filterCount, noFilter, periodLogic, searchFilter } from '@/data/documents-wish'

test('a period means the day of the document, and that of its arrival where it says none', () => {
  const midnight = new Date(2026, 10, 1).toISOString()
  const after = new Date(2026, 11, 1).toISOString()
  expect(periodLogic({ from: '2026-11-01', to: '2026-11-30' })).toEqual([
    `issued_on.gte.2026-11-01,and(issued_on.is.null,created_at.gte.${midnight})`,
    `issued_on.lte.2026-11-30,and(issued_on.is.null,created_at.lt.${after})`,
  ])
  expect(periodLogic({ from: null, to: null })).toEqual([])
})

test('a search is narrowed only by what was chosen', () => {
  const filter = { ...noFilter, kind: 'f24' as const, contactId: 'c1', to: '2026-11-30' }
  expect(searchFilter(filter)).toEqual({ kind: 'f24', contact_id: 'c1', to: '2026-11-30' })
  expect(filterCount(filter)).toBe(3)
})
