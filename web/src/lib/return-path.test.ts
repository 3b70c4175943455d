import { afterEach, expect, test, vi } from 'vitest'

import { forgetReturn, rememberReturn, returnPath } from '@/lib/return-path'

import { storeSession } from '../../test/network'

afterEach(() => {
  forgetReturn()
  vi.useRealTimers()
})

test('a sign-in leads to what has been remembered', () => {
  expect(returnPath('/')).toBe('/')
  rememberReturn('/oauth/consent?authorization_id=abc')
  expect(returnPath('/')).toBe('/oauth/consent?authorization_id=abc')
  forgetReturn()
  expect(returnPath('/')).toBe('/')
})

test('after ten minutes it is forgotten', () => {
  vi.useFakeTimers()
  rememberReturn('/oauth/consent')
  vi.advanceTimersByTime(10 * 60_000)
  expect(returnPath('/')).toBe('/')
})

test('a page of one person leads nobody else there', () => {
  rememberReturn('/crm/anna', 'user-1')
  expect(returnPath('/')).toBe('/')
  storeSession('user-2')
  expect(returnPath('/')).toBe('/')
  storeSession('user-1')
  expect(returnPath('/')).toBe('/crm/anna')
})

test.each(['//evil.example', 'https://evil.example', ''])('%s is no page of the product', (path) => {
  rememberReturn(path)
  expect(returnPath('/')).toBe('/')
})
