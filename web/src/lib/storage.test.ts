import { expect, test } from 'vitest'

import { safeStore } from '@/lib/storage'

test('a blocked storage is replaced by one in memory', () => {
  const store = safeStore(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  store.setItem('theme', 'dark')
  expect(store.getItem('theme')).toBe('dark')
  store.removeItem('theme')
  expect(store.getItem('theme')).toBeNull()
})

test('a working storage is used as it is and left clean', () => {
  expect(safeStore(() => localStorage)).toBe(localStorage)
  expect(localStorage).toHaveLength(0)
})
