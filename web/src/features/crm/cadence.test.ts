/** The words of the cadence. */
import { expect, test } from 'vitest'

import { isDue, touchLabel } from '@/features/crm/cadence'

const now = new Date('2026-11-21T10:00:00')

test.each([
  [{ next_touch_at: null, snoozed_until: null }, ''],
  [{ next_touch_at: '2026-11-21T09:00:00', snoozed_until: null }, 'Da risentire'],
  [{ next_touch_at: '2026-11-21T18:00:00', snoozed_until: null }, 'Risentire oggi'],
  [{ next_touch_at: '2026-11-22T00:30:00', snoozed_until: null }, 'Risentire domani'],
  [{ next_touch_at: '2026-11-01T09:00:00', snoozed_until: '2026-11-28T09:00:00' }, 'Risentire tra 7 giorni'],
  [{ next_touch_at: '2027-03-01T09:00:00', snoozed_until: null }, 'Risentire il 1 mar 2027'],
])('%o reads «%s»', (cadence, words) => {
  expect(touchLabel(cadence, now)).toBe(words)
  expect(isDue(cadence, now)).toBe(words === 'Da risentire')
})
