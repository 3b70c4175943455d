import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { SendMailButton } from '@/components/send-mail-button'
import { AuthContext } from '@/data/auth-context'

import { member } from '../../test/profile'
import { answerWith, storeSession } from '../../test/network'

const letter = { contactId: 'c1', recipient: null, subject: 'Ciao', body: 'Buongiorno' }
const shared = {
  is_offered: true,
  sender: 'invio@socio.example',
  name: 'Giulia Ferri tramite Socio',
  reply_to: 'giulia@socio.example',
  takes_answers: false,
  left: 50,
}
const contact = {
  id: 'c1',
  name: 'Neri srl',
  emails: [{ id: 'e1', value: 'neri@example.it', is_primary: true }],
  phones: [],
}

function open(isOffered: boolean) {
  storeSession()
  let isShared = false
  answerWith(({ method, path }) => {
    if (path.includes('/functions/v1/mail_account')) {
      isShared ||= method === 'PUT'
      return { body: method === 'PUT' ? { id: 'a' } : { ...shared, is_offered: isOffered } }
    }
    if (path.includes('/mail_accounts'))
      return {
        body: isShared ? { user_id: 'user-1', is_shared: true, from_address: shared.sender, signature: null } : null,
      }
    if (path.includes('/next_mail_time')) return { body: '2026-11-23T09:00:00Z' }
    return { body: path.includes('/contacts?') ? contact : [] }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter>
          <SendMailButton letter={letter} label="Scrivi" />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

test('without a mailbox one click sends by the shared sender, and the letter opens', async () => {
  const user = open(true)
  await user.click(await screen.findByRole('button', { name: 'Scrivi' }))
  expect(await screen.findByRole('dialog', { name: 'Da dove vuoi scrivere?' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Invia tramite Socio' }))
  expect(await screen.findByText(/Parte da Giulia Ferri tramite Socio <invio@socio.example>/)).toBeDefined()
  // No promotion leaves so.
  expect(await screen.findByLabelText('Oggetto')).toBeDefined()
  expect(screen.queryByLabelText('Che cos’è')).toBeNull()
  expect(screen.getByText(/Per le campagne/)).toBeDefined()
})

test('where it is not offered the button leads to the mailbox', async () => {
  open(false)
  expect(await screen.findByRole('link', { name: 'Collega la tua email' })).toBeDefined()
})
