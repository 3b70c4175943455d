import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { toast } from 'sonner'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { useLeftovers, useRemoval, useRemoved } from '@/features/chat/conversations/removals'
import { local } from '@/lib/storage'

import { answerWith, makeSession, storeSession } from '../../../../test/network'

const KEY = 'socio.conversations_to_delete.user-1'

function List() {
  const remove = useRemoval('user-1')
  const removed = useRemoved('user-1')
  useLeftovers('user-1')
  return (
    <>
      <p>hidden: {[...removed].join(', ') || 'none'}</p>
      <button onClick={() => remove(['k1'], 'Il saldo')}>Elimina</button>
    </>
  )
}

function start(answer: { status: number; body?: unknown } = { status: 204 }) {
  storeSession()
  const calls = answerWith(() => answer)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <List />
      <Toaster />
    </QueryClientProvider>,
  )
  return () => calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
}

test('a conversation is hidden at once, and back with «Annulla» before the server hears of it', async () => {
  const user = userEvent.setup()
  const deleted = start()
  await user.click(screen.getByRole('button', { name: 'Elimina' }))
  expect(screen.getByText('hidden: k1')).toBeDefined()
  // A toast asks jsdom for pointers, which it has not.
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  expect(screen.getByText('hidden: none')).toBeDefined()
  expect(deleted()).toEqual([])
})

test('what a closed tab has left is deleted at the next visit, what another tab may take back is not', async () => {
  local.setItem(KEY, JSON.stringify({ old: Date.now() - 3_600_000, fresh: Date.now() }))
  const deleted = start()
  await waitFor(() => expect(deleted()).toEqual(['/rest/v1/conversations?id=in.(old)']))
  expect(await screen.findByText('hidden: fresh')).toBeDefined()
})

const noted = () => Object.keys(JSON.parse(local.getItem(KEY) ?? '{}') as object)

test('what the server has not deleted is noted for the next visit', async () => {
  local.setItem(KEY, JSON.stringify({ old: 1 }))
  const deleted = start({ status: 400, body: { code: 'X', message: 'broken' } })
  expect(await screen.findByText('Non siamo riusciti a eliminare: riproviamo alla prossima visita')).toBeDefined()
  expect(deleted()).toHaveLength(1)
  expect(noted()).toEqual(['old'])
})

test.each([
  ['nobody', () => localStorage.removeItem('sb-127-auth-token')],
  ['somebody else', () => localStorage.setItem('sb-127-auth-token', JSON.stringify(makeSession('user-2')))],
])('what was deleted just before a logout is not asked for as %s, and stays noted', async (_who, change) => {
  const deleted = start()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Elimina' }))
  await screen.findByRole('button', { name: 'Annulla' })
  change()
  act(() => void toast.dismiss())
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Annulla' })).toBeNull())
  expect(deleted()).toEqual([])
  expect(noted()).toEqual(['k1'])
})
