import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import { Composer } from '@/features/crm/composer'

import { answerWith } from '../../../test/network'

test.each([
  ['Nota', 'notes', { body: 'Paga a maggio' }],
  ['Chiamata', 'interactions', { kind: 'chiamata', direction: 'uscita', summary: 'Paga a maggio' }],
])('a %s whose answer was lost is written once, the next one anew', async (kind, table, said) => {
  const known = new Set<string>()
  const calls = answerWith(({ method, body }) => {
    const { id } = body as { id: string }
    if (method !== 'POST') return { status: 204 }
    if (known.has(id)) return { status: 409, body: { code: '23505', message: `duplicate key "${table}_pkey"` } }
    known.add(id)
    return known.size === 1 ? { status: 500, body: { code: '', message: 'lost' } } : { status: 201 }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Composer userId="user-1" contactId="anna" />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  const send = async (text: string) => {
    await waitFor(() => expect(screen.getByRole('button', { name: 'Registra' })).toHaveProperty('disabled', false))
    await user.type(screen.getByRole('textbox'), text)
    await user.click(screen.getByRole('button', { name: 'Registra' }))
  }
  await user.click(screen.getByRole('button', { name: kind }))
  await send('Paga a maggi')
  await waitFor(() => expect(known.size).toBe(1))
  await send('o')
  await waitFor(() => expect(screen.getByRole('textbox')).toHaveProperty('value', ''))
  const [id] = known
  expect(calls.at(-1)).toEqual({ method: 'PATCH', path: `/rest/v1/${table}?id=eq.${id}`, body: said })
  await send('Altro')
  await waitFor(() => expect(known.size).toBe(2))
})
