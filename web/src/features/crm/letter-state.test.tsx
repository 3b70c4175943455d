import { render, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'

import type { SentLetter } from '@/data/letters'
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
  is_certified: false,
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
          { kind: 'consegna', at: '2026-11-26T11:00:00Z', is_external: false },
          { kind: 'ritardo', at: '2026-11-26T10:00:00Z', is_external: false },
        ],
      }}
    />,
  )
  expect(screen.getByText(/^Arrivata al server del destinatario/)).toBeTruthy()
  expect(screen.queryByText(/In ritardo/)).toBeNull()
})

describe('a certified mail', () => {
  const accepted = { kind: 'accettazione', at: '2026-11-26T09:00:10Z', is_external: false } as const
  const certified = { ...letter, is_certified: true, sent_at: new Date().toISOString(), mail_reports: [accepted] }

  test('has two ticks with their legal time', () => {
    const delivered = { kind: 'avvenuta-consegna', at: '2026-11-26T09:00:15Z', is_external: false } as const
    const { rerender } = render(<LetterState letter={certified} />)
    expect(screen.getByText(/^Accettata 26 novembre 2026, \d\d:00:10$/)).toBeTruthy()
    expect(screen.getByText('In attesa della consegna')).toBeTruthy()
    rerender(<LetterState letter={{ ...certified, mail_reports: [delivered, accepted] }} />)
    expect(screen.getByText(/^Consegnata 26 novembre 2026, \d\d:00:15$/)).toBeTruthy()
    expect(screen.queryByText(/In attesa/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Scarica la prova' })).toBeTruthy()
  })

  test('is late after twelve hours, and fails after twenty-four', () => {
    const sent_at = new Date(Date.now() - 13 * 3_600_000).toISOString()
    const { rerender } = render(<LetterState letter={{ ...certified, sent_at }} />)
    expect(screen.getByText('In ritardo: dopo 12 ore non c’è ancora la consegna')).toBeTruthy()
    rerender(
      <LetterState
        letter={{ ...certified, state: 'failed', sent_at: null, error: 'bounced', reply: 'superamento tempo massimo' }}
      />,
    )
    expect(screen.getByText('Non consegnata entro 24 ore')).toBeTruthy()
  })

  test('to an ordinary mailbox waits for no delivery', () => {
    render(<LetterState letter={{ ...certified, mail_reports: [{ ...accepted, is_external: true }] }} />)
    expect(screen.getByText(/^Il destinatario non ha una PEC/)).toBeTruthy()
  })
})
