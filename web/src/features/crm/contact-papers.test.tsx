import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { ContactPapers } from '@/features/crm/contact-papers'

import { answerWith, storeSession } from '../../../test/network'

const invoice = {
  id: '1',
  document_id: 'document-1',
  number: '12/2026',
  direction: 'passiva',
  issued_on: '2026-10-01',
  open_cents: 244_000,
  currency: 'EUR',
}

test('an invoice that is there as a file and as a scan waits once', async () => {
  storeSession()
  const calls = answerWith(({ path }) => ({ body: path.includes('invoice_register?') ? [invoice] : [] }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <ContactPapers userId="user-1" contactId="contact-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await screen.findByRole('link', { name: '12/2026' })
  expect(calls.map(({ path }) => path).find((path) => path.includes('invoice_register?'))).toContain('twin=is.null')
})
