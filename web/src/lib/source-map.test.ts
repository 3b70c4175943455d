import { expect, test } from 'vitest'

import { placesIn } from '@/lib/source-map'

// `throw boom` of line 3, column 3, is built to line 1, column 11 (https://tc39.es/ecma426, mappings in base 64 VLQ).
const map = {
  version: 3 as const,
  names: [],
  sources: ['../../src/features/a.tsx'],
  sourcesContent: ['one\ntwo\n  throw boom\nfour\nfive\nsix\nseven'],
  mappings: 'UAEE',
}

test('a place of a built script is the file, line and column it was written at, with the lines around', () => {
  const found = placesIn(map)(1, 15)
  expect(found).toMatchObject({ file: 'src/features/a.tsx', line: 3, column: 3 })
  expect(found?.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  expect(found?.lines[2]?.text).toBe('  throw boom')
})

test('a map without sources names the place only', () => {
  expect(placesIn({ ...map, sourcesContent: [null] })(1, 11)?.lines).toEqual([])
})

test.each([
  [1, 5],
  [7, 1],
  [0, 0],
])('a place that the map does not know is none: %i:%i', (line, column) => {
  expect(placesIn(map)(line, column)).toBeNull()
})
