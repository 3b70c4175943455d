/** Telephone numbers of an Italian address book. */
import { expect, test } from 'vitest'

import { phoneNumber } from '@/lib/phone-numbers'

test.each([
  ['333 123 4567', '+393331234567'],
  ['06/1234567', '+39061234567'],
  ['0039 02 1234567', '+39021234567'],
  ['+39 (0) 2 1234567', '+39021234567'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['Cell. 347.1234567', '+393471234567'],
])('«%s» is %s', async (typed, number) => {
  expect(await phoneNumber(typed)).toBe(number)
})

test.each(['', 'chiedere a Luca', '12', '+39 333 1234567 8901234', '+999 123456'])(
  '«%s» is no number',
  async (typed) => {
    expect(await phoneNumber(typed)).toBeNull()
  },
)
