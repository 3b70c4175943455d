import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { expect, test } from 'vitest'

import { useLinkParties } from '@/data/parties'

import { answerWith, type Call, storeSession } from '../../test/network'

const client = new QueryClient()
const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children)

function chosen({ body }: Pick<Call, 'body'>) {
  const { _choices: batch } = body as { _choices: object[] }
  return batch
}

test('more than the database takes at once are linked in parts', async () => {
  storeSession()
  const calls = answerWith((call) => ({ body: chosen(call) }))
  const progress: number[] = []
  const { result } = renderHook(() => useLinkParties('user-1', (done) => progress.push(done)), { wrapper })
  const choices = Array.from({ length: 201 }, (_, index) => ({ party_key: `name:${index}`, create: true as const }))
  const answer = await act(() => result.current.mutateAsync(choices))
  expect(calls.map((call) => chosen(call).length)).toEqual([200, 1])
  expect(progress).toEqual([200, 201])
  expect(answer).toEqual({ done: choices, failure: null })
})
