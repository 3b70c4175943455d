import { expect, test } from 'vitest'

import { formatBytes, remainingTime } from '@/strings/files'

test.each([
  [0, '0 B'],
  [840 * 1024, '840 kB'],
  [1023 * 1024, '1 MB'],
  [13_002_342, '12,4 MB'],
  [50 * 1024 * 1024, '50 MB'],
])('%i bytes read «%s»', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [2, 'meno di 5 secondi'],
  [37, 'circa 40 secondi'],
  [58, 'circa un minuto'],
  [150, 'circa 3 minuti'],
  [7200, 'più di un’ora'],
])('%i seconds read «%s»', (seconds, text) => {
  expect(remainingTime(seconds)).toBe(text)
})
