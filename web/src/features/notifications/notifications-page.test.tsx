import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { User } from '@supabase/supabase-js'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import NotificationsPage from '@/features/notifications/notifications-page'

import { answerWith, storeSession } from '../../../test/network'

/** The newer ones are read, the older ones are not. */
const rows = Array.from({ length: 61 }, (_, at) => ({
  id: `n${at}`,
  user_id: 'user-1',
  title: `Titolo ${at}`,
  message: 'Testo',
  type: 'info',
  is_read: at < 55,
  read_at: null,
  created_at: new Date(Date.UTC(2026, 10, 20, 9, 60 - at)).toISOString(),
  action_url: null,
}))

function open() {
  storeSession()
  const gone = new Set<string>()
  answerWith(({ method, path }) => {
    if (method === 'DELETE') gone.add(/\((.*)\)/.exec(path)?.[1] ?? '')
    if (method !== 'GET') return { status: 204 }
    const last = rows.findIndex(({ id }) => path.includes(`id.lt.${id})`))
    const wanted = rows
      .slice(last + 1)
      .filter(({ id, is_read: isRead }) => !gone.has(id) && !(path.includes('is_read=eq.false') && isRead))
    return { body: wanted.slice(0, 50) }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...guest, user: { id: 'user-1' } as User }}>
        <MemoryRouter initialEntries={['/notifications']}>
          <NotificationsPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

// Found by their words: to ask so many buttons for their names takes seconds.
const shown = () => screen.queryAllByText(/^Titolo/).length

test('the oldest are reached too, and what is not read is counted wherever it stands', async () => {
  const user = open()
  expect(await screen.findByText('Non lette (6)')).toBeDefined()
  expect(shown()).toBe(50)
  await user.click(screen.getByText('Mostra altre'))
  await waitFor(() => expect(shown()).toBe(61))
  expect(screen.queryByText('Mostra altre')).toBeNull()
  await user.click(screen.getByText('Non lette (6)'))
  expect(shown()).toBe(6)
  await user.click(screen.getByLabelText('Elimina: Titolo 60'))
  await waitFor(() => expect(screen.getByText('Non lette (5)')).toBeDefined())
  expect(document.activeElement?.textContent).toContain('Titolo 59')
})
