import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { toast } from 'sonner'
import { expect, test, vi } from 'vitest'

import { type Letter, LetterTextFields } from '@/components/letter-text'
import { useLetterText } from '@/components/use-letter-text'
import { AuthContext, guest } from '@/data/auth-context'
import type { WholeContact } from '@/data/contacts'
import type { MailAccount } from '@/data/mail'

import { answerWith, makeSession, storeSession } from '../../test/network'

vi.mock('sonner', () => ({ toast: { error: vi.fn<() => void>() } }))

const contact = { id: 'c-1', first_name: 'Marta', last_name: 'Neri', name: 'Marta Neri', type: 'persona', listed: null }
const template = {
  id: 't-1',
  name: 'Sollecito',
  subject: 'Fattura {{numero fattura}}',
  body: 'Ciao {{nome}}: {{importo da pagare}}, {{azienda}}',
}
const invoice = {
  number: '7',
  issued_on: '2026-09-01',
  currency: 'EUR',
  total_cents: 10_000,
  open_cents: 10_000,
  late_cents: 0,
  next_due_on: '2026-10-01',
}
const answer: Letter = {
  contactId: 'c-1',
  recipient: null,
  subject: 'Re: Un saluto',
  body: 'Gentile Marta',
  threadId: 'thread-1',
  about: { invoiceId: 'i-1' },
}

function Composer({ letter }: { letter: Letter }) {
  const writing = useLetterText(letter)
  return (
    <LetterTextFields
      account={{} as MailAccount}
      letter={letter}
      contact={contact as unknown as WholeContact}
      writing={writing}
      subjectField={{ current: null }}
      bodyField={{ current: null }}
      onSend={vi.fn<() => void>()}
    />
  )
}

async function choose(letter: Letter, invoiceStatus = 200) {
  storeSession()
  answerWith(({ path }) => {
    if (path.includes('mail_templates')) return { body: [template] }
    return { status: invoiceStatus, body: invoice }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <Composer letter={letter} />
      </AuthContext>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Usa un modello' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Sollecito' }))
}

const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value.replaceAll('\u00A0', ' ')

test('an answer keeps its subject and speaks of the invoice of its conversation', async () => {
  await choose(answer)
  await waitFor(() => expect(value('Testo')).toBe('Ciao Marta: 100,00 €, {{azienda}}'))
  expect(value('Oggetto')).toBe('Re: Un saluto')
  screen.getByText('Da completare prima di inviare: azienda.')
})

test('a new mail has the subject of the template', async () => {
  await choose({ contactId: 'c-1', recipient: null, subject: '', body: '', invoiceId: 'i-1' })
  await waitFor(() => expect(value('Oggetto')).toBe('Fattura 7'))
  expect(screen.queryByRole('button', { name: 'Rimetti il mio testo' })).toBeNull()
})

test('what is written stays when the invoice cannot be read', async () => {
  await choose(answer, 500)
  await waitFor(() =>
    expect(toast.error).toHaveBeenCalledWith('Non riusciamo a leggere i dati per il modello: riprova'),
  )
  expect(value('Testo')).toBe('Gentile Marta')
})
