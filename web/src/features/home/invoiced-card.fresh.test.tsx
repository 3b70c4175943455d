import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { track } from '@/data/analytics'
import type { InvoicedMonth } from '@/data/invoices'
import { InvoicedCard } from '@/features/home/invoiced-card'

import { answerWith } from '../../../test/network'

vi.mock('@/data/analytics', () => ({ track: vi.fn<typeof track>() }))
vi.mock('@/data/session', () => ({ currentUser: async () => ({ id: 'user-1' }) }))

const none = (month: string) => ({ month, collected_cents: 0, open_cents: 0, late_cents: 0 })
const months: InvoicedMonth[] = [
  { month: '2026-09-01', collected_cents: 120_000, open_cents: 0, late_cents: 0 },
  none('2026-10-01'),
  { month: '2026-11-01', collected_cents: 100_000, open_cents: 250_050, late_cents: 50_050 },
]

/** @param issued rows of invoices, of which the months do not tell whether there are any */
function open(body: InvoicedMonth[], issued: object[] = []) {
  answerWith(({ path }) => ({ body: path.includes('/rpc/') ? body : issued }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <InvoicedCard userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

const plain = (text: string | null) => text?.replaceAll(/\s/g, ' ')

test('the year is summed up, a month is told by the slider, and the first touch is counted once', async () => {
  open(months)
  const slider = await screen.findByRole('slider', { name: 'Mese' })
  expect(screen.getAllByRole('definition').map(({ textContent }) => plain(textContent))).toEqual([
    '2.200,00 €',
    '2.500,50 €',
    '500,50 €',
  ])
  expect(plain(slider.getAttribute('aria-valuetext'))).toBe(
    'novembre 2026: emessi 3.500,50 €, incassati 1.000,00 €, da incassare 2.500,50 € (scaduti 500,50 €)',
  )
  expect(track).not.toHaveBeenCalled()
  fireEvent.change(slider, { target: { value: '1' } })
  expect(screen.getByText(/^ottobre 2026: emessi 0,00/)).toBeDefined()
  fireEvent.change(slider, { target: { value: '0' } })
  expect(vi.mocked(track).mock.calls).toEqual([['dashboard_chart_interacted', { chartType: 'invoices' }]])
  const rows = within(screen.getByRole('table', { name: 'Fatture emesse per mese', hidden: true }))
  expect(rows.getAllByRole('row', { hidden: true })).toHaveLength(1 + months.length)
})

test('without invoices it says how they come in', async () => {
  open(months.map(({ month }) => none(month)))
  expect(await screen.findByText('Ancora nessuna fattura emessa')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Carica una fattura' }).getAttribute('href')).toBe('/documents')
  expect(screen.queryByRole('slider')).toBeNull()
})

const takenBack = { month: '2026-09-01', collected_cents: 0, open_cents: 0, late_cents: 100_000 }

test('an invoice that a credit note took back is there, and nothing of it is late', async () => {
  open([takenBack, none('2026-10-01')], [{ id: 'invoice-1' }])
  expect(await screen.findByRole('slider', { name: 'Mese' })).toBeDefined()
  expect(screen.queryByText('Ancora nessuna fattura emessa')).toBeNull()
  expect(screen.getAllByRole('definition').map(({ textContent }) => plain(textContent))).toEqual([
    '0,00 €',
    '0,00 €',
    '0,00 €',
  ])
})

test('what is late is never more than what is open, in a month and in the year', async () => {
  const later = { ...none('2026-10-01'), open_cents: -100_000 }
  open([
    { ...takenBack, open_cents: 100_000 },
    later,
    { ...none('2026-11-01'), open_cents: 20_000, late_cents: 90_000 },
  ])
  const slider = await screen.findByRole('slider', { name: 'Mese' })
  expect(screen.getAllByRole('definition').map(({ textContent }) => plain(textContent))).toEqual([
    '0,00 €',
    '200,00 €',
    '200,00 €',
  ])
  expect(plain(slider.getAttribute('aria-valuetext'))).toBe(
    'novembre 2026: emessi 200,00 €, da incassare 200,00 € (scaduti 200,00 €)',
  )
})
