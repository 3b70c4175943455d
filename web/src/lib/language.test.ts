import { expect, test } from 'vitest'

import { readLanguage, setLanguage } from '@/lib/language'

test('Italian until somebody chooses, and the choice is kept', () => {
  expect(readLanguage()).toBe('it')
  expect(localStorage).toHaveLength(0)
  setLanguage('it')
  expect(localStorage.getItem('language')).toBe('it')
  expect(document.documentElement.lang).toBe('it')
})

test('a language that we do not speak counts as Italian', () => {
  localStorage.setItem('language', 'tlh')
  expect(readLanguage()).toBe('it')
})
