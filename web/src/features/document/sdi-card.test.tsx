import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { sdiNoticesQuery } from '@/data/invoices'
import { SdiCard } from '@/features/document/sdi-card'

test('the last notice is shown, former ones are folded', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const rejected =
    'Scartata: correggi entro il 1 dicembre 2026, con lo stesso numero e la stessa data. 00404: Fattura duplicata.'
  client.setQueryData(sdiNoticesQuery('user', 'paper').queryKey, [
    { id: '2', kind: 'NS', is_refused: true, sentence: rejected, at: '2026-11-26T10:00:00Z' },
    { id: '1', kind: 'RC', is_refused: false, sentence: 'Consegnata al destinatario.', at: '2026-11-25T10:00:00Z' },
  ])
  const { rerender } = render(
    <QueryClientProvider client={client}>
      <SdiCard userId="user" documentId="paper" />
    </QueryClientProvider>,
  )
  expect(screen.getByText(rejected).closest('details')).toBeNull()
  expect(screen.getByText('Consegnata al destinatario.').closest('details')).not.toBeNull()
  client.setQueryData(sdiNoticesQuery('user', 'other').queryKey, [])
  rerender(
    <QueryClientProvider client={client}>
      <SdiCard userId="user" documentId="other" />
    </QueryClientProvider>,
  )
  expect(screen.queryByText('Sistema di Interscambio')).toBeNull()
})
