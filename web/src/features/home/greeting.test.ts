import { expect, test } from 'vitest'

import { greeting } from '@/features/home/greeting'

const at = (hour: number): Date => new Date(2026, 10, 20, hour)

test.each([
  [3, 'Buonasera, Giulia'],
  [8, 'Buongiorno, Giulia'],
  [13, 'Buon pomeriggio, Giulia'],
  [18, 'Buonasera, Giulia'],
])('at %i o’clock it says «%s»', (hour, text) => {
  expect(greeting('Giulia Ferri', at(hour))).toBe(text)
})

test('somebody without a name is greeted without one', () => {
  expect(greeting(null, at(9))).toBe('Buongiorno')
  expect(greeting('  ', at(9))).toBe('Buongiorno')
})
