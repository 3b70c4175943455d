import { expect, test } from 'vitest'

import { safePath } from '@/lib/action-url'

test.each(['/crm', '/crm/42?vista=note#fine', '/'])('%s is followed', (url) => {
  expect(safePath(url)).toBe(url)
})

test.each([
  null,
  '',
  'crm',
  'https://truffa.example/',
  '//truffa.example/',
  '/\\truffa.example/',
  '/\t/truffa.example/',
  'javascript:alert(1)',
  ' /crm',
])('%j is not followed', (url) => {
  expect(safePath(url)).toBeNull()
})
