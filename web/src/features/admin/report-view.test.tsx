import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { ReportView } from '@/features/admin/report-view'

import { answerWith, storeSession } from '../../../test/network'

function show(figures: Record<string, number>) {
  storeSession()
  const report = { taken_at: new Date().toISOString(), light: 'ok', figures, tables: {}, before: null, points: [] }
  answerWith(() => ({ body: report }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={['/?periodo=30g']}>
        <ReportView name="performance" shown={['lcp']} isByPeriod>
          {() => null}
        </ReportView>
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

test.each([
  [{}, false],
  [{ lcp_720: 1200 }, false],
  [{ lcp_168: 1200 }, true],
])('a light of seven days is shown where they were measured: %j', async (figures: Record<string, number>, isThere) => {
  show(figures)
  await screen.findByText(/^aggiornato/)
  expect(screen.queryByText('In ordine') !== null).toBe(isThere)
})
