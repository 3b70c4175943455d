import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import type { ComparedContact, Pair } from '@/data/duplicates'
import { BulkMerge } from '@/features/crm-duplicates/bulk-merge'

import { answerWith, storeSession } from '../../../test/network'

const contact = (id: string) =>
  ({ id, name: id, created_at: '2026-11-01', emails: [], phones: [], contact_tags: [] }) as unknown as ComparedContact
const pair = (one: string, other: string): Pair => ({
  first: contact(one),
  second: contact(other),
  score: 0.9,
  reasons: ['nome'],
})

test.each([
  [[pair('a', 'b')], 'Un’unione non è riuscita: quei contatti sono com’erano.'],
  [[pair('a', 'b'), pair('c', 'd')], '2 unioni non sono riuscite: quei contatti sono com’erano.'],
])('what failed is counted (%#)', async (pairs, text) => {
  storeSession()
  answerWith(({ path }) =>
    path.includes('/rpc/') ? { status: 400, body: { code: 'X', message: 'broken' } } : { body: [] },
  )
  render(
    <QueryClientProvider client={new QueryClient()}>
      <BulkMerge pairs={pairs} onClear={() => undefined} />
      <Toaster />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Unisci' }))
  await user.click((await screen.findAllByRole('button', { name: 'Unisci' })).at(-1) ?? document.body)
  expect(await screen.findByText(text)).toBeDefined()
})
