import { beforeEach, expect, test, vi } from 'vitest'

import { paths } from '@/paths'

vi.mock('@/app/start-app', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

// The failure stays one for the browser's monitors; here it would end the run.
const unhandled = vi.fn<(error: unknown) => void>()

beforeEach(() => {
  vi.resetModules()
  window.history.replaceState(null, '', paths.login)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', unhandled)
  return () => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  }
})

test.each([
  ['nothing is on the screen, that is said', '', 'Socio non risponde'],
  ['there is a prerendered page, it stays', '<p>Prezzi</p>', 'Prezzi'],
])('when the code does not arrive and %s', async (_, html, expected) => {
  document.body.innerHTML = `<div id="root">${html}</div>`
  document.documentElement.classList.add('has-session')
  localStorage.setItem('sb-127-auth-token', '{}')
  await import('@/main')
  await expect.poll(() => document.body.textContent).toContain(expected)
  await expect.poll(() => unhandled.mock.calls.length).toBeGreaterThan(0)
  expect(document.body.textContent.includes('Socio non risponde')).toBe(html === '')
  expect(document.documentElement.classList.contains('has-session')).toBe(false)
})
