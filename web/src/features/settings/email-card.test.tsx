import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import { EmailCard } from '@/features/settings/email-card'

import { answerWith, storeSession } from '../../../test/network'

test('a change that waits leads to the place for its codes', async () => {
  storeSession()
  answerWith(() => ({ status: 503, body: { message: 'away' } }))
  const user = { id: 'user-1', email: 'vecchio@socio.example', new_email: 'nuovo@socio.example' } as User
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <AuthContext value={{ ...guest, user }}>
          <EmailCard />
        </AuthContext>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const link = await screen.findByRole('link', { name: 'Ho un codice' })
  expect(link.getAttribute('href')).toBe('/auth/confirm?type=email_change')
})
