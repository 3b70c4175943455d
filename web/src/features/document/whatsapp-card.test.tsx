import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import type { WholeDocument } from '@/data/document'
import { WhatsappCard } from '@/features/document/whatsapp-card'

import { answerWith, storeSession } from '../../../test/network'

test('an invoice shows the reminder that an agent sent by WhatsApp', async () => {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.includes('/goal_steps')) return { body: [{ id: 'step' }] }
    if (!path.includes('/whatsapp_messages')) return { body: null }
    const message = { id: 'm', channel_id: 'c', direction: 'uscita', at: '2026-11-26T08:00:00Z' }
    return { body: [{ ...message, contacts: { name: 'Rossi srl' } }] }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <WhatsappCard document={{ id: 'd' } as WholeDocument} invoices={[{ id: 'i' }]} userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const link = await screen.findByRole('link', { name: 'Inviato a Rossi srl' })
  expect(link.getAttribute('href')).toBe('/crm?vista=whatsapp&conversazione=c#m-m')
  const paths = calls.map(({ path }) => path)
  expect(paths.find((path) => path.includes('goal_steps'))).toContain(
    '{"channel":"whatsapp","items":[{"invoice_id":"i"}]}',
  )
  expect(paths.find((path) => path.includes('whatsapp_messages'))).toContain('key.eq.step')
})
