import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'

import { startSite } from '@/app/start-site'
import { paths } from '@/paths'

vi.mock('@/app/start-app', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

test('an app that a deploy has replaced is got with a new document at the same address', async () => {
  const reload = vi.fn<() => void>()
  window.history.replaceState(null, '', paths.faq)
  const container = document.createElement('div')
  document.body.append(container)
  await act(() => startSite(container))
  const login = await screen.findByRole('link', { name: 'Login' })
  const { location } = window
  vi.stubGlobal(
    'location',
    new Proxy({}, { get: (_, key) => (key === 'reload' ? reload : Reflect.get(location, key)) }),
  )
  act(() => login.click())
  await expect.poll(() => reload.mock.calls.length).toBeGreaterThan(0)
  expect(location.pathname).toBe(paths.login)
})
