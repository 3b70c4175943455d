/** A saved filter as PostgREST reads it. */
import { expect, test } from 'vitest'

import { type ContactFilter, everybody, filterFrom, filterIn, postgrestFilter } from '@/data/contacts-filter'

const now = new Date('2026-11-21T09:00:00Z')
const tag = '6a1c7d0e-3b0f-4f4e-9f0a-0a1b2c3d4e5f'

test('every condition has its place in the filter', () => {
  const filter: ContactFilter = {
    all: [
      { field: 'tags', any: [tag] },
      { field: 'origin', any: ['manuale', 'import'] },
      { field: 'consent', channel: 'email', is: 'dato' },
      { field: 'consent', channel: 'whatsapp', is: 'non_richiesto' },
      { field: 'due' },
      { field: 'silent', days: 30 },
    ],
  }
  expect(postgrestFilter(filter, now)).toBe(
    `and(tag_ids.ov.{${tag}},origin.in.(manuale,import),consents->>email.eq.dato,` +
      'or(consents->>whatsapp.is.null,consents->>whatsapp.eq.non_richiesto),' +
      'and(next_touch_at.lte.2026-11-21T09:00:00.000Z,or(snoozed_until.is.null,snoozed_until.lte.2026-11-21T09:00:00.000Z)),' +
      'or(last_interaction_at.is.null,last_interaction_at.lt.2026-10-22T09:00:00.000Z))',
  )
})

test('no condition is no filter', () => {
  expect(postgrestFilter(everybody)).toBeNull()
})

test('what is written comes back, and only what this version knows', () => {
  const filter: ContactFilter = { all: [{ field: 'due' }] }
  expect(filterIn(JSON.stringify(filter))).toEqual(filter)
  expect(filterFrom({ all: [{ field: 'tags', any: ['),user_id.neq.x'] }] })).toBeNull()
  expect(filterFrom({ all: [{ field: 'unheard' }] })).toBeNull()
  expect(filterIn('{"all":')).toEqual(everybody)
  expect(filterIn(null)).toEqual(everybody)
})
