import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'

import { readTheme, setTheme, useResolvedTheme, useTheme, watchTheme } from '@/lib/theme'

const isDark = (): boolean => document.documentElement.classList.contains('dark')

test('a chosen theme is applied at once and kept under the key theme', () => {
  setTheme('dark')
  expect(isDark()).toBe(true)
  expect(localStorage.getItem('theme')).toBe('dark')
  setTheme('light')
  expect(isDark()).toBe(false)
})

test('following the system forgets the choice', () => {
  setTheme('dark')
  setTheme('system')
  expect(localStorage.getItem('theme')).toBeNull()
  expect(isDark()).toBe(false)
})

test('an unknown stored value counts as the system', () => {
  localStorage.setItem('theme', 'blue')
  expect(readTheme()).toBe('system')
})

test('components follow, also when another tab chose', () => {
  watchTheme()
  const { result } = renderHook(() => ({ chosen: useTheme(), shown: useResolvedTheme() }))
  act(() => {
    localStorage.setItem('theme', 'dark')
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  })
  expect(result.current).toEqual({ chosen: 'dark', shown: 'dark' })
})
