import { expect, test } from 'vitest'

import { initials } from '@/lib/initials'

test.each([
  ['Giulia Ferri', 'GF'],
  ['  giulia   ferri ', 'GF'],
  ['Maria Teresa de Luca', 'ML'],
  ['Àlvaro', 'À'],
  ['🦊 Volpe', '🦊V'],
  ['', '?'],
  ['   ', '?'],
  [null, '?'],
  [undefined, '?'],
])('the initials of %j are %s', (name, expected) => {
  expect(initials(name)).toBe(expected)
})
