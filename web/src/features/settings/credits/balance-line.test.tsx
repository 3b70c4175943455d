import { expect, test } from 'vitest'

import { steps } from '@/features/settings/credits/balance-line'

test('the line stays level until the next movement, and the highest balance touches the top', () => {
  const points = [
    { at: 0, value: 100 },
    { at: 500, value: 600 },
    { at: 1000, value: 300 },
  ]
  expect(steps(points, 600)).toBe('M0 60H300V0H600V36')
})

test('a wallet that has always been empty is a line at the bottom', () => {
  expect(
    steps(
      [
        { at: 0, value: 0 },
        { at: 1, value: 0 },
      ],
      0,
    ),
  ).toBe('M0 72H600V72')
})
