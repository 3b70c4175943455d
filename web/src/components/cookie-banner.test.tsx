import type { User } from '@supabase/supabase-js'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'

import { CookieBanner } from '@/components/cookie-banner'
import { CookiePreferences } from '@/components/cookie-preferences'
import { AuthContext, type AuthState } from '@/data/auth-context'
import { readConsent, storeConsent } from '@/lib/consent'

const guest = { user: null as User | null } as AuthState

const page = (
  <AuthContext value={guest}>
    <MemoryRouter>
      <CookieBanner />
      <CookiePreferences />
    </MemoryRouter>
  </AuthContext>
)

const banner = () => screen.queryByRole('region', { name: 'Preferenze cookie' })

/** Opens the page and lets `ms` go by. */
function open(ms: number) {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  render(page)
  act(() => void vi.advanceTimersByTime(ms))
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime })
}

afterEach(() => {
  vi.useRealTimers()
})

test('the prerendered page has no banner', () => {
  expect(renderToString(page)).not.toContain('Accetta Tutti')
})

test('it comes after one second, not earlier', () => {
  open(900)
  expect(banner()).toBeNull()
  act(() => void vi.advanceTimersByTime(150))
  expect(banner()).not.toBeNull()
  expect(document.activeElement).toBe(document.body)
})

test.each([
  ['Accetta Tutti', 'accepted'],
  ['Solo Essenziali', 'rejected'],
] as const)('«%s» stores %s and is not asked again', async (button, answer) => {
  const user = open(1100)
  await user.click(screen.getByRole('button', { name: button }))
  expect(banner()).toBeNull()
  expect(readConsent()).toBe(answer)
})

test('the close icon hides it for this view and store nothing', async () => {
  const user = open(1100)
  await user.click(screen.getByRole('button', { name: 'Chiudi' }))
  expect(banner()).toBeNull()
  expect(localStorage).toHaveLength(0)
})

test('whoever answered is not asked, and finds the question again in the preferences', async () => {
  storeConsent('accepted')
  const user = open(1100)
  expect(banner()).toBeNull()
  const preferences = screen.getByRole('button', { name: 'Preferenze cookie' })
  await user.click(preferences)
  expect(document.activeElement).toBe(banner())
  expect(banner()?.textContent).toContain('Ora vale: accetta tutti.')
  await user.keyboard('{Escape}')
  expect(banner()).toBeNull()
  expect(document.activeElement).toBe(preferences)
  await user.click(preferences)
  await user.click(screen.getByRole('button', { name: 'Solo Essenziali' }))
  expect(readConsent()).toBe('rejected')
})

test('an answer in another tab takes it away here', () => {
  open(1100)
  act(() => storeConsent('rejected'))
  expect(banner()).toBeNull()
})
