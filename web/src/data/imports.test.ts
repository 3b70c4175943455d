import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { expect, test } from 'vitest'

import { useUndoImport } from '@/data/imports'

import { answerWith, storeSession } from '../../test/network'

const client = new QueryClient({ defaultOptions: { mutations: { retry: false } } })
const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children)

test('an import is undone portion by portion, and goes on where it was cut off', async () => {
  storeSession()
  const anna = { contact_id: 'anna', name: 'Anna Bruni' }
  const answers = [
    { body: { removed: 200, restored: 0, kept: [anna], left: 230 } },
    { status: 503, body: { message: 'away' } },
    { body: { removed: 150, restored: 50, kept: [], left: 30 } },
    { body: { removed: 29, restored: 0, kept: [anna], left: 0 } },
  ]
  const calls = answerWith(() => answers.shift() ?? { status: 500 })
  const { result } = renderHook(useUndoImport, { wrapper })
  await act(() => expect(result.current.undo.mutateAsync('batch-1')).rejects.toMatchObject({ status: 503 }))
  expect(result.current.left).toBe(230)
  await act(async () =>
    expect(await result.current.undo.mutateAsync('batch-1')).toEqual({
      removed: 179,
      restored: 50,
      kept: [anna],
      left: 0,
    }),
  )
  expect(calls.map(({ path, body }) => [path, body])).toEqual(
    Array.from({ length: 4 }, () => ['/rest/v1/rpc/undo_import', { _batch: 'batch-1' }]),
  )
})
