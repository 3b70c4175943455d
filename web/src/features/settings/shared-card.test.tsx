import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import type { MailAccount, SharedSender } from '@/data/mail'
import { SharedCard } from '@/features/settings/shared-card'

import { answerWith, type Call, storeSession } from '../../../test/network'

const shared: SharedSender = {
  is_offered: true,
  sender: 'invio@socio.example',
  name: 'Giulia Ferri tramite Socio',
  reply_to: 'giulia@example.it',
  takes_answers: true,
  left: 47,
  resumes_at: null,
  pause_reason: null,
  paused_until: null,
}
const account = {
  id: 'a',
  user_id: 'user-1',
  is_shared: true,
  from_address: 'invio@socio.example',
  last_error: null,
  last_error_at: null,
  last_success_at: null,
} as unknown as MailAccount

function open(told: Partial<SharedSender>, connected: MailAccount | null, answer?: (call: Call) => object | undefined) {
  storeSession()
  const calls = answerWith((call) => answer?.(call) ?? { body: { ...shared, ...told } })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { container } = render(
    <QueryClientProvider client={client}>
      <SharedCard userId="user-1" account={connected} />
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls, container }
}

test('nothing is offered where the operator has set no shared sender', async () => {
  const { calls, container } = open({ is_offered: false, sender: null }, null)
  await waitFor(() => expect(calls.length).toBeGreaterThan(0))
  expect(container.textContent).toBe('')
})

test('one click has mails leave by the shared sender, and says what the recipient sees', async () => {
  const { user, calls } = open({}, null)
  expect(await screen.findByText('Giulia Ferri tramite Socio <invio@socio.example>')).toBeDefined()
  expect(screen.getByText('giulia@example.it e in «Posta»')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Invia tramite Socio' }))
  await waitFor(() => expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({ is_shared: true }))
})

test('an unconfirmed login is told what to do first', async () => {
  open({ reply_to: null }, null)
  expect(await screen.findByText(/Conferma prima l’indirizzo/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Invia tramite Socio' })).toBeNull()
})

test('a pause says why, until when and how to go on', async () => {
  open({ pause_reason: 'reclamo', paused_until: '2026-12-12T09:00:00Z' }, account)
  expect(await screen.findByText(/segnalato una tua email come spam/)).toBeDefined()
  expect(screen.getByText(/12 dicembre.*collega la tua casella/)).toBeDefined()
})

test('what is left of the day is shown, and when it goes on', async () => {
  open({ left: 0, resumes_at: '2026-11-29T09:00:00Z' }, account)
  expect(await screen.findByText(/^0, riprende il .*29 novembre/)).toBeDefined()
})
