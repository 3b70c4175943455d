import { expect, test } from 'vitest'

import { greeting, untilNextGreeting } from '@/features/home/greeting'

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

test.each([
  [at(3), at(5)],
  [at(5), at(13)],
  [at(17), at(18)],
  [at(23), new Date(2026, 10, 21)],
])('what it says at %s holds until %s', (now, next) => {
  expect(now.getTime() + untilNextGreeting(now.getTime())).toBe(next.getTime())
})
