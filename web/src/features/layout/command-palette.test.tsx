import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, useLocation } from 'react-router'
import { expect, test } from 'vitest'

import { CommandPalette } from '@/features/layout/command-palette'

import { answerWith, storeSession } from '../../../test/network'

function Here() {
  return <p>at {useLocation().pathname}</p>
}

function start() {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={['/home']}>
        <CommandPalette userId="user-1" />
        <Here />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

test('Ctrl+K, a few letters and Enter lead to a page', async () => {
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(screen.getByRole('combobox', { name: 'Vai a' }), 'noti{Enter}')
  expect(screen.getByText('at /notifications')).toBeDefined()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the keys open it also when they are pressed before it is there', async () => {
  const user = userEvent.setup()
  fireEvent(window, new Event('keydown'))
  // Nobody is signed in: they are the browser's.
  expect(fireEvent.keyDown(window, { key: 'k', ctrlKey: true })).toBe(true)
  storeSession()
  await user.keyboard('{Control>}k{/Control}')
  start()
  expect(screen.getByRole('combobox', { name: 'Vai a' })).toBe(document.activeElement)
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test.each([
  ['recupero', '/projects'],
  ['farmi pagare', '/projects'],
  ['commercialista', '/documents/fatture'],
])('an agent and the packet are found by their names: %s', async (word, path) => {
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(screen.getByRole('combobox', { name: 'Vai a' }), `${word}{Enter}`)
  expect(screen.getByText(`at ${path}`)).toBeDefined()
})

test('the arrows move through the pages and around the end', async () => {
  const user = start()
  await user.keyboard('{Meta>}k{/Meta}')
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('CRM')
  await user.keyboard('{ArrowUp}{ArrowUp}')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('Crediti')
})

test('a contact, a document, a task, a project or a conversation is found by what it says', async () => {
  storeSession()
  answerWith(({ path }) => {
    if (path.includes('search_contacts')) return { body: [{ id: 'c1', name: 'Mario Rossi' }] }
    if (path.includes('search_documents')) {
      const hit = { page: 2, snippet: 'Spettabile Rossi', marks: [11, 16], rank: 1 }
      return { body: [{ document_id: 'd1', filename: 'Preventivo.pdf', kind: 'preventivo', ...hit }] }
    }
    if (path.includes('search_conversations')) {
      const hit = {
        message_id: 'm1',
        snippet: 'Rossi paga a 60 giorni',
        marks: [0, 5],
        at: '2026-11-20T09:00:00Z',
        rank: 1,
      }
      return { body: [{ conversation_id: 'k1', title: 'I pagamenti di Rossi', ...hit }] }
    }
    if (path.includes('search_mails')) {
      const hit = { mail_id: 'e1', thread_id: 'h1', party: 'Rossi Srl', subject: 'Ordine', snippet: '', marks: [] }
      return { body: [{ ...hit, contact_id: 'c1', is_sent: false, has_warnings: false, at: '2026-11-20T09:00:00Z' }] }
    }
    if (path.includes('search_whatsapp')) {
      const hit = { message_id: 'w1', channel_id: 'k2', contact_id: 'c1', is_sent: false, at: '2026-11-20T09:00:00Z' }
      return {
        body: [{ ...hit, party: 'Anna', snippet: 'Ci vediamo domani mattina presto da Rossi', marks: [36, 41] }],
      }
    }
    if (path.includes('/documents?')) {
      const parts = { filename: 'Preventivo.pdf', filename_by_user: false, kind: 'preventivo', state: 'pronto' }
      const others = { title: null, supplier_name: 'Rossi Srl', contact: null, invoices: [], numbers: [{ value: '9' }] }
      return { body: [{ id: 'd1', ...parts, ...others }] }
    }
    if (path.includes('/projects')) return { body: [{ id: 'p1', name: 'Sito Rossi', open: [], done: [] }] }
    return { body: [{ id: 't1', title: 'Chiamare Rossi' }] }
  })
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('ross')
  await screen.findByRole('option', { name: /Mario Rossi/ })
  await screen.findByRole('option', { name: /Preventivo 9 · Rossi Srl/ })
  await screen.findByRole('option', { name: /Rossi Srl: Ordine/ })
  await screen.findByRole('option', { name: /Anna: …mattina presto da Rossi/ })
  await screen.findByRole('option', { name: /I pagamenti di Rossi/ })
  await user.click(await screen.findByRole('option', { name: /Chiamare Rossi/ }))
  expect(screen.getByText('at /tasks')).toBeDefined()
})

test('letters that fit nothing say so, and Escape closes', async () => {
  storeSession()
  answerWith(() => ({ body: [] }))
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('zzz{Enter}')
  expect(await screen.findByText('Niente con questo nome.')).toBeDefined()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByText('at /home')).toBeDefined()
})
