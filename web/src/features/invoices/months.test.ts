import { expect, test } from 'vitest'

import { byCurrency, monthsOf, totalsOf } from '@/features/invoices/months'

const dates = [
  { due_on: '2026-05-10', cents: 100, paid_on: null, is_late: true, currency: 'EUR' },
  { due_on: '2026-11-20', cents: 200, paid_on: null, is_late: true, currency: 'EUR' },
  { due_on: '2026-11-21', cents: 400, paid_on: null, is_late: false, currency: 'EUR' },
  { due_on: '2026-11-28', cents: 800, paid_on: '2026-11-20', is_late: false, currency: 'EUR' },
  { due_on: '2027-02-01', cents: 1_600, paid_on: null, is_late: false, currency: 'EUR' },
  { due_on: null, cents: 3_200, paid_on: null, is_late: false, currency: 'EUR' },
]

test('open and paid amounts are gathered by month', () => {
  const months = monthsOf(dates, '2026-11-21')
  expect(months.map(({ month }) => month.slice(0, 7))).toEqual([
    '2026-08',
    '2026-09',
    '2026-10',
    '2026-11',
    '2026-12',
    '2027-01',
    '2027-02',
    '2027-03',
    '2027-04',
  ])
  expect(months[3]).toEqual({ month: '2026-11-01', open: 600, paid: 800 })
  expect(months[6]).toEqual({ month: '2027-02-01', open: 1_600, paid: 0 })
})

test('late amounts, due dates and amounts without one are counted apart', () => {
  expect(totalsOf(dates, '2026-11-21')).toEqual({ overdue: 300, soon: 400, later: 1_600, undated: 3_200 })
  const open = dates.filter(({ paid_on: paid }) => !paid)
  const { overdue, soon, later, undated } = totalsOf(dates, '2026-11-21')
  expect(overdue + soon + later + undated).toBe(open.reduce((sum, { cents }) => sum + cents, 0))
})

test('dates are gathered by their currency, euros first', () => {
  const foreign = [{ due_on: null, cents: 100, paid_on: null, is_late: false, currency: 'CHF' }]
  expect(byCurrency([...foreign, ...dates])).toEqual([
    ['EUR', dates],
    ['CHF', foreign],
  ])
  expect(byCurrency([])).toEqual([])
})
