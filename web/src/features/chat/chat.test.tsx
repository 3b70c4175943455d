import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type InitialEntry, MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { Chat } from '@/features/chat/chat'
import { SourcesProvider } from '@/features/chat/citations/sources'
import { changeDraft } from '@/features/chat/composer/drafts'
import { draftKey } from '@/lib/chat-drafts'
import { AI_NOTICE } from '@/strings/chat'

import { answerWith, type Call, storeSession } from '../../../test/network'

const EXAMPLE = 'Che cosa sai fare?'
const refused = { status: 402, body: { code: 'insufficient_credits', message: 'I crediti non bastano' } }

let settings: Record<string, unknown> = {}
const isQuestion = ({ path, method }: Call) => method === 'POST' && path === '/functions/v1/chat'
const isAgreement = ({ path, method }: Call) => method === 'POST' && path === '/functions/v1/chat_settings'

beforeEach(() => {
  settings = {
    ai: true,
    model: 'gpt',
    provider: 'OpenAI',
    host: 'api.openai.com',
    in_eu: false,
    is_agreed: true,
    agents: [],
    prices: { chat: 1, chat_deep: 2, advice: 3, chat_local: 0, voice_minute: 1, letter: 1 },
    limits: { characters: 20_000 },
  }
})

afterEach(() => localStorage.clear())

/** A chat in which nothing was asked yet; every question is answered by `answer`. */
function open(answer: () => { status: number; body: unknown } = () => refused) {
  const userId = crypto.randomUUID()
  storeSession(userId)
  const calls = answerWith((call) => {
    if (isQuestion(call)) return answer()
    if (isAgreement(call)) settings = { ...settings, is_agreed: true }
    if (call.path.startsWith('/functions/v1/chat_settings')) return { body: settings }
    return { body: call.path.includes('/credit_wallets') ? { balance: 50 } : [] }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const show = (at: InitialEntry = '/chat') =>
    render(
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={[at]}>
          <SourcesProvider userId={userId}>
            <Chat userId={userId} conversationId={null} targetId={null} />
          </SourcesProvider>
        </MemoryRouter>
      </QueryClientProvider>,
    )
  return { userId, calls, show, user: userEvent.setup(), asked: () => calls.filter(isQuestion).map(({ body }) => body) }
}

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Scrivi a Socio' })

test('a new chat says that an AI answers', async () => {
  open().show()
  expect(await screen.findByText(AI_NOTICE)).toBeDefined()
})

test('an example question leaves alone what was typed, and its attachments', async () => {
  const { userId, show, user, asked } = open()
  const attachments = [{ id: 'document-1', name: 'Contratto.pdf' }]
  changeDraft(draftKey(userId, null), () => ({ text: 'Scrivi a Rossi che', attachments }))
  show()
  await screen.findByText(/max 1 credito/)
  await user.click(await screen.findByRole('button', { name: EXAMPLE }))
  expect(await screen.findByText('I crediti non bastano')).toBeDefined()
  expect(asked()).toEqual([expect.objectContaining({ content: EXAMPLE, attachments: [] })])
  expect(field().value).toBe('Scrivi a Rossi che')
  expect(screen.getByText('Contratto.pdf')).toBeDefined()
})

const brought = (state?: object) => ({ pathname: '/chat', search: '?domanda=Chi+mi+deve+pagare%3F', state })

test('a question that was asked on /home is sent at once when it is free', async () => {
  settings = { ...settings, ai: false }
  const { show, asked } = open()
  show(brought({ isAsked: true }))
  await waitFor(() =>
    expect(asked()).toEqual([
      expect.objectContaining({ content: 'Chi mi deve pagare?', mode: 'locale', max_credits: 0 }),
    ]),
  )
  // Refused, it is not lost.
  await waitFor(() => expect(field().value).toBe('Chi mi deve pagare?'))
})

test.each([
  ['costs credits', () => undefined, { isAsked: true }, 'Chi mi deve pagare?'],
  ['comes with an address', () => (settings = { ...settings, ai: false }), undefined, 'Chi mi deve pagare?'],
  [
    'meets what was typed before',
    (userId: string) => {
      settings = { ...settings, ai: false }
      changeDraft(draftKey(userId, null), () => ({ text: 'Scrivi a Rossi' }))
    },
    { isAsked: true },
    'Scrivi a Rossi\nChi mi deve pagare?',
  ],
])('a question that %s is typed, and sent by the person', async (_why, prepare, state, text) => {
  const { userId, show, user, asked } = open()
  prepare(userId)
  show(brought(state))
  await waitFor(() => expect(field().value).toBe(text))
  await screen.findByText(/max \d|Gratis|0 crediti/i)
  expect(asked()).toEqual([])
  await user.type(field(), '{Enter}')
  await waitFor(() => expect(asked()).toEqual([expect.objectContaining({ content: text })]))
})

test('a question brings the price that was shown, and a price that rose is shown anew', async () => {
  const { show, user, asked } = open(() => {
    settings = { ...settings, prices: { chat: 4, chat_deep: 5, advice: 6, chat_local: 0 } }
    return { status: 409, body: { code: 'price_changed', message: 'Il prezzo è cambiato' } }
  })
  show()
  await screen.findByText(/max 1 credito/)
  await user.type(field(), 'Quanto ho incassato?{Enter}')
  expect(await screen.findByText('Il prezzo è cambiato')).toBeDefined()
  expect(asked()).toEqual([expect.objectContaining({ content: 'Quanto ho incassato?', mode: 'ia', max_credits: 1 })])
  expect(await screen.findByText(/max 4 crediti/)).toBeDefined()
  await user.type(field(), '{Enter}')
  await waitFor(() => expect(asked()).toHaveLength(2))
  expect(asked()[1]).toMatchObject({ max_credits: 4 })
})

test('who has not agreed to the provider of today is asked with the next try', async () => {
  const { show, user } = open(() => {
    settings = { ...settings, provider: 'Mistral', is_agreed: false }
    return { status: 403, body: { code: 'consent_needed', message: 'Serve il tuo consenso' } }
  })
  show()
  await screen.findByText(/max 1 credito/)
  await user.type(field(), 'Quanto ho incassato?{Enter}')
  expect(await screen.findByText('Serve il tuo consenso')).toBeDefined()
  expect(await screen.findByText(/Risponde un modello di Mistral/)).toBeDefined()
  await user.type(field(), '{Enter}')
  expect(await screen.findByRole('dialog', { name: 'Chi legge la tua domanda' })).toBeDefined()
})

test('nothing goes to a provider before the person has agreed to it, once', async () => {
  settings.is_agreed = false
  const { calls, show, user, asked } = open()
  show()
  // Whose model it is stands below the field, not in a menu.
  expect(await screen.findByText(/Risponde un modello di OpenAI, anche fuori dall’Europa\.$/)).toBeDefined()
  await user.type(field(), 'Chi mi deve pagare?{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'Chi legge la tua domanda' })
  expect(dialog.textContent).toContain('Risponde un modello di OpenAI, anche fuori dall’Europa.')
  expect(asked()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Chiudi' }))
  expect(await screen.findByText('Non ho inviato nulla.')).toBeDefined()
  await waitFor(() => expect(field().value).toBe('Chi mi deve pagare?'))
  await user.type(field(), '{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Va bene, invia' }))
  await waitFor(() => expect(asked()).toEqual([expect.objectContaining({ mode: 'ia' })]))
  expect(calls.filter(isAgreement).map(({ body }) => body)).toEqual([{ host: 'api.openai.com' }])
  await waitFor(() => expect(field().value).toBe('Chi mi deve pagare?'))
  await user.type(field(), '{Enter}')
  await waitFor(() => expect(asked()).toHaveLength(2))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('who does not want the provider is answered in local mode, now and from then on', async () => {
  settings.is_agreed = false
  const { calls, show, user, asked } = open()
  show()
  await screen.findByText(/max 1 credito/)
  await user.type(field(), 'Chi mi deve pagare?{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Usa la modalità locale' }))
  await waitFor(() =>
    expect(asked()).toEqual([expect.objectContaining({ mode: 'locale', deep: false, max_credits: 0 })]),
  )
  expect(calls.filter(isAgreement)).toEqual([])
  expect(screen.queryByText(/Risponde un modello di/)).toBeNull()
})
