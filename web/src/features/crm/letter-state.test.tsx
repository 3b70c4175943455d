import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import type { SentLetter } from '@/data/inbox'
import { LetterState } from '@/features/crm/letter-state'

const letter: SentLetter = {
  id: '1',
  contact_id: '2',
  recipient: 'anna@example.it',
  subject: 'Promemoria',
  body: 'Ciao',
  state: 'sent',
  error: null,
  reply: null,
  not_before: '2026-11-26T09:00:00Z',
  sent_at: '2026-11-26T09:00:00Z',
  created_at: '2026-11-26T09:00:00Z',
  mail_reports: [],
}

test.each([
  ['5.1.1 550 no such user', 'Respinta: la casella non esiste'],
  ['5.2.2 full', 'Respinta: la casella è piena'],
  ['5.7.1 blocked', 'Respinta: il server del destinatario non accetta la tua posta'],
  ['5.9.9 other', 'Respinta dal server del destinatario'],
])('a mail that came back says why: %s', (reply, told) => {
  render(<LetterState letter={{ ...letter, state: 'failed', sent_at: null, error: 'bounced', reply }} />)
  expect(screen.getByText(told)).toBeTruthy()
  expect(screen.getByText(`Il server ha risposto: ${reply}`)).toBeTruthy()
})

test('of several reports the latest is told', () => {
  render(
    <LetterState
      letter={{
        ...letter,
        mail_reports: [
          { kind: 'consegna', at: '2026-11-26T11:00:00Z' },
          { kind: 'ritardo', at: '2026-11-26T10:00:00Z' },
        ],
      }}
    />,
  )
  expect(screen.getByText(/^Arrivata al server del destinatario/)).toBeTruthy()
  expect(screen.queryByText(/In ritardo/)).toBeNull()
})
