import { expect, test } from 'vitest'

import { countdown } from '@/strings/contact-requests'

const now = new Date(2026, 10, 28, 23, 30)

test.each([
  ['2026-12-10', 'mancano 12 giorni', false],
  ['2026-12-05', 'mancano 7 giorni', false],
  ['2026-12-04', 'mancano 6 giorni', true],
  ['2026-11-29', 'manca un giorno', true],
  ['2026-11-28', 'scade oggi', true],
  ['2026-11-27', 'scaduta da un giorno', true],
  ['2026-11-25', 'scaduta da 3 giorni', true],
])('on the evening of 28 November a request due on %s: %s', (dueOn, text, isUrgent) => {
  expect(countdown(dueOn, now)).toEqual({ text, isUrgent })
})
