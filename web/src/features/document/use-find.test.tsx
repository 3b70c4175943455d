import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { useFind } from '@/features/document/use-find'

import { answerWith, storeSession } from '../../../test/network'

function start(address: string) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
    </QueryClientProvider>
  )
  return renderHook(() => useFind('user-1', 'd1'), { wrapper })
}

test('a passage in the address is marked on its page until something else is searched for', async () => {
  storeSession()
  const words = [
    ['entro', 1, 2, 3, 4, 90],
    ['trenta', 5, 6, 7, 8, 90],
  ]
  answerWith(({ path }) => ({ body: path.includes('document_pages') ? { words } : [] }))
  const { result } = start('/documents/d1?p=3&parole=1-1')
  expect(result.current.target).toMatchObject({ page: 3 })
  await waitFor(() => expect(result.current.target?.boxes).toEqual([[5, 6, 7, 8]]))
  expect(result.current.marksOf(3)).toEqual([{ page: 3, span: [1, 1], boxes: [[5, 6, 7, 8]], tone: 'loud' }])
  act(() => result.current.find.onText('pagamento'))
  expect(result.current.marksOf(3)).toEqual([])
})

test('an address that names no words points to nothing', () => {
  storeSession()
  answerWith(() => ({ body: [] }))
  expect(start('/documents/d1?parole=da-a').result.current.target).toBeNull()
})
