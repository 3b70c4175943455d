import { expect, test } from 'vitest'

import { Speedometer } from '@/lib/speedometer'

test('the speed appears with the second reading and follows slowly', () => {
  const speed = new Speedometer()
  expect(speed.at(0, 0)).toBeNull()
  expect(speed.at(500, 100)).toBeNull()
  expect(speed.at(1000, 1000)).toBe(1000)
  expect(speed.at(3000, 2000)).toBe(1300)
})

test('a step back is no negative speed', () => {
  const speed = new Speedometer()
  speed.at(0, 0)
  speed.at(1000, 1000)
  expect(speed.at(200, 2000)).toBe(1000)
  expect(speed.at(1200, 3000)).toBe(1000)
})
