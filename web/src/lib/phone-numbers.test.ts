/** Telephone numbers of an Italian address book. */
import { expect, test } from 'vitest'

import { phoneFormatter, phoneNumber } from '@/lib/phone-numbers'

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

test.each([
  ['3471234567', '+39 347 123 4567', 'tel:+393471234567'],
  ['051 123456', '+39 051 123456', 'tel:+39051123456'],
  ['+44 (0)20 7946 0958', '+44 20 7946 0958', 'tel:+442079460958'],
  ['0033142685300', '+33 1 42 68 53 00', 'tel:+33142685300'],
])('«%s» is shown as «%s»', async (typed, text, href) => {
  expect((await phoneFormatter())(typed)).toEqual({ text, href })
})

test('what is no number is shown as it was typed', async () => {
  expect((await phoneFormatter())('chiedere a Luca')).toBeNull()
})
