import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import WhatsappPage from '@/features/crm/whatsapp-page'
import { paths } from '@/paths'

import { answerWith, type Call, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const chat = {
  id: 'k1',
  contact_id: 'c1',
  contacts: { name: 'Giulia Mare' },
  is_done: false,
  failures: 0,
  snippet: 'Grazie!',
  stopped_at: null,
  window_expires_at: null,
  last_inbound_at: null,
  last_at: '2026-11-20T09:00:00Z',
}
const hit = {
  message_id: 'm1',
  channel_id: 'k1',
  contact_id: 'c1',
  is_sent: false,
  party: 'Giulia Mare',
  snippet: 'Le misure della cucina',
  marks: [3, 9],
  at: '2026-11-02T09:00:00Z',
}

function message(id: string, summary: string, at: string) {
  return {
    id,
    message_id: `wamid.${id}`,
    channel_id: 'k1',
    direction: 'entrata',
    kind: 'text',
    body: summary,
    summary,
    refers_to: null,
    content: {},
    media_state: null,
    template: null,
    is_automatic: false,
    state: null,
    error: null,
    at,
    documents: null,
  }
}

/** The page with a conversation that has a hundred later messages than the one that is found. */
function open(search: () => { status?: number; body?: unknown }) {
  storeSession()
  const calls = answerWith(({ path }: Call) => {
    if (path.includes('/rpc/search_whatsapp')) return search()
    if (path.includes('/contact_channels?id=eq.')) return { body: chat }
    if (path.includes('/contact_channels?')) return { body: [chat] }
    if (path.includes('id=eq.m1')) return { body: { at: hit.at } }
    if (path.includes('at=gt.')) return { body: [{ at: '2026-11-03T09:00:00Z' }] }
    if (path.includes('at=lte.')) return { body: [message('m1', 'Le misure della cucina', hit.at)] }
    if (path.includes('/whatsapp_messages?')) return { body: [message('m9', 'Grazie!', chat.last_at)] }
    return {}
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={[paths.crmWhatsapp]}>
          <WhatsappPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls }
}

test('a message is found by words and opens in its conversation, from which one comes to its end', async () => {
  const scrolled: Element[] = []
  Element.prototype.scrollIntoView = function () {
    scrolled.push(this)
  }
  const { user } = open(() => ({ body: [hit] }))
  await screen.findByRole('button', { name: /Giulia Mare/ })
  await user.keyboard('/misure')
  const found = await screen.findByRole('list', { name: 'Messaggi trovati' })
  expect(found.querySelector('mark')?.textContent).toBe('misure')
  await user.click(within(found).getByRole('link', { name: /Giulia Mare/ }))
  const shown = within(await screen.findByRole('group', { name: 'Messaggi' }))
  const target = shown.getByRole('listitem')
  expect(target.textContent).toContain('Le misure della cucina')
  expect(target).toBe(document.activeElement)
  expect(scrolled).toEqual([target])
  await user.click(shown.getByRole('button', { name: 'Vai agli ultimi messaggi' }))
  expect(await screen.findByText('Grazie!', { selector: 'p' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Vai agli ultimi messaggi' })).toBeNull()
  expect(screen.getByRole('list', { name: 'Messaggi trovati' })).toBeDefined()
  // Another list leaves the search.
  await user.click(screen.getByRole('link', { name: 'Da gestire' }))
  expect(screen.getByRole('searchbox', { name: 'Cerca nei messaggi' })).toHaveProperty('value', '')
})

test('a search without results says so, and one that fails can be tried again', async () => {
  let answer: { status?: number; body?: unknown } = { status: 500, body: { message: 'x' } }
  const { user } = open(() => answer)
  await user.type(screen.getByRole('searchbox', { name: 'Cerca nei messaggi' }), 'zebra')
  expect(await screen.findByText('La ricerca non è riuscita: riprova.')).toBeDefined()
  answer = { body: [] }
  await user.click(screen.getByRole('button', { name: 'Riprova' }))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Nessun messaggio dice «zebra»'))
})
