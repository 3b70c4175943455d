import { expect, test } from 'vitest'

import type { Lot } from '@/data/credits'
import { type Order, refundOf, withdrawalDeadline } from '@/data/orders'

const order = (change: Partial<Order> = {}): Order => ({
  id: 'order-1',
  pack_id: 'pro',
  amount_cents: 3999,
  credits: 500,
  bonus: 50,
  state: 'fulfilled',
  email: 'giulia@socio.example',
  billing: null,
  checkout_url: null,
  created_at: new Date(2026, 10, 1, 10).toISOString(),
  expires_at: new Date(2026, 10, 2, 10).toISOString(),
  submitted_at: null,
  paid_at: new Date(2026, 10, 1, 10).toISOString(),
  withdrawn_at: null,
  refunded_cents: 0,
  taken_cents: 0,
  consumer: true,
  withdrawal_waiver_at: new Date(2026, 10, 1, 10).toISOString(),
  ...change,
})

const lot = (change: Partial<Lot> = {}): Lot => ({
  id: 'lot-1',
  user_id: 'user-1',
  kind: 'acquisto',
  amount: 500,
  remaining: 500,
  held: 0,
  paid_cents: 3999,
  order_id: 'order-1',
  expires_at: null,
  created_at: new Date(2026, 10, 1).toISOString(),
  ...change,
})

const bonus = lot({ id: 'lot-2', kind: 'bonus', amount: 50, remaining: 50, paid_cents: 0 })
const stranger = lot({ id: 'lot-3', order_id: 'order-2' })

test.each([
  ['nothing used', [lot(), bonus, stranger], { cents: 3999, unused: 500, held: 0 }],
  ['a third used', [lot({ remaining: 333 }), bonus], { cents: 2663, unused: 333, held: 0 }],
  ['some in use now', [lot({ remaining: 490, held: 10 })], { cents: 3919, unused: 490, held: 10 }],
  ['all used', [bonus], { cents: 0, unused: 0, held: 0 }],
])('with %s a withdrawal gives back what is unused, in whole cents', (_what, lots, refund) => {
  expect(refundOf(order(), lots, new Date(2026, 10, 2))).toEqual(refund)
})

test('what was given back already is not given back again', () => {
  expect(refundOf(order({ taken_cents: 3000 }), [lot()], new Date(2026, 10, 2)).cents).toBe(999)
})

test.each([
  ['a consumer in the legal days', {}, '2026-11-15T12:00:00Z', 3999],
  ['later', {}, '2026-11-16T12:00:00Z', 0],
  ['a company', { consumer: false }, '2026-11-15T12:00:00Z', 0],
])('who never asked for the credits at once gets all of it back: %s', (_what, change, now, cents) => {
  const bought = order({ withdrawal_waiver_at: null, ...change })
  expect(refundOf(bought, [bonus], new Date(now)).cents).toBe(cents)
})

test.each([
  ['the last moment', '2026-12-01T22:59:59Z', '2026-12-01'],
  ['the first one after it', '2026-12-01T23:00:00Z', null],
])('the contract can be left until the end of the thirtieth day in Italy: %s', (_when, now, last) => {
  // Already the first of November there.
  const bought = order({ paid_at: '2026-10-31T23:30:00Z' })
  expect(withdrawalDeadline(bought, new Date(now))).toBe(last)
})

test.each(['pending', 'failed', 'expired', 'review', 'refunded', 'disputed'] as const)(
  'an order that is %s cannot be left',
  (state) => {
    expect(withdrawalDeadline(order({ state }), new Date(2026, 10, 2))).toBeNull()
  },
)
