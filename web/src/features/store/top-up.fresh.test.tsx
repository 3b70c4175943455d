import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import { type Offer, useOffer } from '@/data/early-bird'
import { TopUp } from '@/features/store/top-up'
import { countdownAt } from '@/lib/early-bird'

vi.mock('@/data/early-bird', () => ({ useOffer: vi.fn<typeof useOffer>() }))

const HOUR_MS = 3_600_000

/** What the early-bird warning says; null without one. */
function warning(offer: Offer | null): string | null {
  vi.mocked(useOffer).mockReturnValue(offer)
  render(
    <AuthContext value={guest}>
      <TopUp />
    </AuthContext>,
    { wrapper: MemoryRouter },
  )
  return screen.queryByText(/Solo per i primi 100 utenti/)?.parentElement?.textContent ?? null
}

test.each([
  ['nothing is known', null, /utenti\. Chi arriva/],
  ['the time runs', { countdown: countdownAt(HOUR_MS, 0), taken: 98, isOver: false }, /utenti\. Chi arriva/],
  ['seats are counted', { countdown: null, taken: 99, isOver: false }, /utenti\. Ne resta 1\. Chi arriva/],
])('the early-bird warning stands while %s', (_, offer, words) => {
  expect(warning(offer)).toMatch(words)
})

test.each([
  ['time is over', { countdown: countdownAt(0, HOUR_MS), taken: 100, isOver: true }],
  ['seats are taken', { countdown: null, taken: 100, isOver: true }],
])('the early-bird warning goes when the %s', (_, offer) => {
  expect(warning(offer)).toBeNull()
})
