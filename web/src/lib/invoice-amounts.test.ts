import { expect, test } from 'vitest'

import { isPayable, signedCents } from '@/lib/invoice-amounts'

test('a credit note takes away, however it is signed', () => {
  expect([100, -100].map((cents) => signedCents('TD04', cents))).toEqual([-100, -100])
  expect([100, -100].map((cents) => signedCents('TD01', cents))).toEqual([100, -100])
})

test('nobody pays a self-invoice', () => {
  expect(['TD01', 'TD04', 'TD16', 'TD17', 'TD24', 'TD29'].map(isPayable)).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
  ])
})
