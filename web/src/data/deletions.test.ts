import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { expect, test } from 'vitest'

import { useEraseDocuments } from '@/data/deletions'

import { answerWith, storeSession } from '../../test/network'

const client = new QueryClient()
const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children)

test('what was restored out of a document that is erased keeps its file', async () => {
  storeSession()
  const inside = [
    { id: 'gone', storage_path: 'user-1/gone.pdf', deleted_at: '2026-11-21' },
    { id: 'restored', storage_path: 'user-1/restored.pdf', deleted_at: null },
  ]
  const calls = answerWith(({ method, path }) => {
    if (method !== 'GET') return { body: [] }
    if (path.includes('parent_id=in.(archive)'))
      return { body: inside.filter(({ deleted_at }) => deleted_at || !path.includes('deleted_at=not.is.null')) }
    return { body: path.includes('id=in.(archive)') ? [{ id: 'archive', storage_path: 'user-1/archive.zip' }] : [] }
  })
  const { result } = renderHook(() => useEraseDocuments('user-1', () => undefined), { wrapper })
  await act(() => result.current.mutateAsync(['archive']))
  const removals = calls.filter(({ method }) => method === 'DELETE')
  expect(removals.map(({ path, body }) => [path, body])).toEqual([
    ['/storage/v1/object/documents', { prefixes: ['user-1/archive.zip', 'user-1/gone.pdf'] }],
    ['/rest/v1/documents?id=in.(archive)', undefined],
  ])
})
