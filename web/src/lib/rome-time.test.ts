import { expect, test } from 'vitest'

import { addDays, addMonths, instantOf, mondayOf, romeDay, wallTime } from '@/lib/rome-time'

test.each([
  ['2026-11-21T15:00', '2026-11-21T14:00:00.000Z'],
  ['2026-07-01T09:30', '2026-07-01T07:30:00.000Z'],
  ['2026-07-01', '2026-06-30T22:00:00.000Z'],
  ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
])('%s in Italy is %s, and back', (wall, instant) => {
  expect(instantOf(wall)).toBe(instant)
  expect(wallTime(instant)).toBe(wall.length === 10 ? `${wall}T00:00` : wall)
})

test('an hour that the clocks skip is an hour later', () => {
  expect(wallTime(instantOf('2026-03-29T02:30'))).toBe('2026-03-29T03:30')
})

test('the day is the one in Italy', () => {
  expect(romeDay('2026-11-20T23:30:00Z')).toBe('2026-11-21')
})

test('days and months roll over, and weeks begin on Monday', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2026-03-29', -1)).toBe('2026-03-28')
  expect(addMonths('2026-12-15', 1)).toBe('2027-01-01')
  expect(mondayOf('2026-11-21')).toBe('2026-11-16')
  expect(mondayOf('2026-11-22')).toBe('2026-11-16')
  expect(mondayOf('2026-11-23')).toBe('2026-11-23')
})
