import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { LogoutButton } from '@/features/layout/logout-button'
import { draftKey } from '@/lib/chat-drafts'
import { unheardLogout } from '@/strings/devices'

import { answerWith, storeSession } from '../../../test/network'

beforeEach(() => storeSession())

async function logOut() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LogoutButton userId="user-1" />
      <Toaster />
    </QueryClientProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Logout' }))
  await screen.findByText('Logout effettuato con successo!')
}

test('a logout leaves neither a session nor a question of this person', async () => {
  answerWith(() => ({ status: 204 }))
  const [own, others] = [draftKey('user-1', 'c-1'), draftKey('user-2', null)]
  for (const key of [own, others]) localStorage.setItem(key, '{"text":"Scrivi al cliente Rossi"}')
  await logOut()
  expect(screen.queryByText(unheardLogout)).toBeNull()
  expect(localStorage.getItem('sb-127-auth-token')).toBeNull()
  expect(localStorage.getItem(own)).toBeNull()
  expect(localStorage.getItem(others)).not.toBeNull()
})

test.each([
  ['the network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the server', () => Promise.resolve(new Response('{}', { status: 503 }))],
])('without %s this browser is out, and says what the server does not know', async (_what, answer) => {
  window.fetch = answer
  await logOut()
  expect(screen.getByText(unheardLogout)).toBeDefined()
  expect(screen.queryByText('Errore durante il logout')).toBeNull()
  expect(localStorage.getItem('sb-127-auth-token')).toBeNull()
})
