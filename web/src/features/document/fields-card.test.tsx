import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { AuthContext, guest } from '@/data/auth-context'
import type { WholeDocument } from '@/data/document'
import { FieldsCard } from '@/features/document/fields-card'

import { answerWith, makeSession, storeSession } from '../../../test/network'

const document = { id: 'document-1', kind: 'fattura', state: 'pronto', currency: 'EUR' } as WholeDocument
const field = {
  document_id: document.id,
  key: 'total',
  value: '122000',
  confidence: 1,
  page: null,
  box: null,
  label: null,
  source: 'testo',
  confirmed_at: null,
}

test.each([
  ['SC041', 'Una fattura registrata ha sempre numero, data e totale'],
  ['SC043', 'I campi di una fattura elettronica sono quelli del file XML'],
  ['XX000', 'Non siamo riusciti a salvare: riprova'],
])('a field that stays says why: %s', async (code, sentence) => {
  storeSession()
  answerWith(({ path }) =>
    path.includes('confirm_field') ? { status: 400, body: { code, message: 'no', details: null } } : { body: [field] },
  )
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <FieldsCard document={document} userId="user-1" invoices={[]} onShow={() => undefined} />
        <Toaster />
      </AuthContext>
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Correggi Totale' }))
  fireEvent.click(screen.getByRole('button', { name: 'Togli' }))
  expect(await screen.findByText(sentence, { exact: false })).toBeTruthy()
  expect(await screen.findByText('1.220,00', { exact: false })).toBeTruthy()
})
