import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import type { User } from '@supabase/supabase-js'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import HomePage from '@/features/home/home-page'

import { makeProfile } from '../../../test/profile'

afterEach(() => vi.useRealTimers())

test('a page that is left open goes on greeting by the hour and the day', () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 20, 17, 59) })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={{ ...guest, user: { id: 'user-1' } as User, profile: makeProfile() }}>
        <MemoryRouter>
          <HomePage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  expect(screen.getByText('Buon pomeriggio, Giulia')).toBeDefined()
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByText('Buonasera, Giulia')).toBeDefined()
  expect(screen.getByText('venerdì 20 novembre')).toBeDefined()
  act(() => void vi.advanceTimersByTime(6 * 3_600_000))
  expect(screen.getByText('sabato 21 novembre')).toBeDefined()
})
