import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import type { WholeDocument } from '@/data/document'
import { ContactCard } from '@/features/document/contact-card'

import { answerWith, makeSession, storeSession } from '../../../test/network'

const linked = {
  id: 'document-1',
  contact: { id: 'contact-1', name: 'Rossi srl' },
  contact_id: 'contact-1',
  contact_reason: 'Collegato per P.IVA',
  suggested: null,
  supplier: { name: 'Rossi srl' },
} as WholeDocument

function open(change: Partial<WholeDocument> = {}) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <MemoryRouter>
          <ContactCard document={{ ...linked, ...change }} userId="user-1" />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

test.each(['Annulla', 'Togli Rossi srl'])('an automatic link says why, and «%s» refuses the contact', async (name) => {
  storeSession()
  const asked = new Promise<unknown>((resolve) => {
    answerWith(({ path, body }) => {
      if (path.includes('refuse_document_contact')) resolve(body)
      return { body: null }
    })
  })
  open()
  expect(screen.getByText('Collegato per P.IVA')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name }))
  expect(await asked).toEqual({ _document_id: 'document-1' })
})

test('a link that the person made says no reason', () => {
  open({ contact_reason: null })
  expect(screen.queryByText('Collegato per P.IVA')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Annulla' })).toBeNull()
})
