import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import type { ReceivedMail } from '@/data/inbox'
import { MailMessage } from '@/features/crm/mail-message'

import { member } from '../../../test/profile'

const mail = {
  id: 'm1',
  folder: 'ricevuti',
  kind: 'persona',
  sender: 'anna@cliente.it',
  sender_name: 'Anna Neri',
  at: '2026-11-20T09:00:00Z',
  body: 'Confermo.',
  quoted: '',
  warnings: [],
  files: [],
  is_whole: true,
  is_answered: false,
  is_by_address: true,
  is_forwarded: false,
  dmarc: null,
  certificate: null,
  invitation: null,
  storage_path: null,
} as unknown as ReceivedMail

const show = (told: Partial<ReceivedMail>) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={member}>
        <MemoryRouter>
          <MailMessage mail={{ ...mail, ...told }} />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )

test('a mail whose sender nothing proves says so', () => {
  show({})
  expect(screen.getByText('Mittente non verificato: niente prova che venga davvero da questo indirizzo.')).toBeDefined()
})

test.each<[string, Partial<ReceivedMail>]>([
  ['one that its domain signed', { dmarc: 'pass' }],
  ['one that was sent', { folder: 'inviati' }],
  ['one that was read from the mailbox', { is_by_address: false }],
  ['one without a sender', { sender: null }],
])('nothing of the kind is said of %s', (_, told) => {
  show(told)
  expect(screen.queryByText(/Mittente non verificato/)).toBeNull()
})

test('a failed proof is a warning', () => {
  show({ dmarc: 'fail', warnings: [{ kind: 'dmarc', value: 'cliente.it', known: '' }] })
  expect(screen.queryByText(/Mittente non verificato/)).toBeNull()
  expect(screen.getByRole('alert').textContent).toContain(
    'Il messaggio non supera il controllo di cliente.it (DMARC): può averlo scritto qualcun altro.',
  )
})
