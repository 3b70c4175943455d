import { expect, test } from 'vitest'

import { changelog } from '@/data/changelog'
import { reviewedOn } from '@/data/roadmap'

test('the newest change is first, each has a real day, and none is later than the look at the roadmap', () => {
  const days = changelog.map(({ day }) => day)
  expect(days).toEqual(days.toSorted().toReversed())
  for (const day of days) expect(new Date(day).toISOString().slice(0, 10)).toBe(day)
  expect(days[0] ?? '').not.toBe('')
  expect((days[0] ?? '') <= reviewedOn).toBe(true)
})
