import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { expect, test } from 'vitest'

import { useKeptNotes, useWithKept } from '@/data/kept'
import { type OutboxEntry, outboxQuery } from '@/data/outbox'
import type { Task } from '@/data/tasks'

const task = { id: 'a', title: 'Task a', parent_id: null, state: 'da_fare' } as Task
const step = { id: 'step', title: 'Step', parent_id: 'a', state: 'da_fare' } as Task
const common = { writtenAt: '2026-11-26T10:00:00Z', isTried: false }
const done: OutboxEntry = {
  ...common,
  id: '1',
  place: 1,
  kind: 'complete',
  taskId: 'a',
  title: 'Task a',
  refusal: null,
}
const added: OutboxEntry = {
  ...common,
  id: 'b',
  place: 2,
  kind: 'add',
  rows: [{ id: 'b', title: 'Task b' }],
  refusal: null,
}
const note: OutboxEntry = {
  ...common,
  id: 'n',
  place: 3,
  kind: 'note',
  contactId: 'anna',
  body: 'Note',
  refusal: null,
}

function shownWith<T>(entries: OutboxEntry[], hook: () => T): T {
  const client = new QueryClient()
  client.setQueryData(outboxQuery('user-1').queryKey, entries)
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children)
  return renderHook(hook, { wrapper }).result.current
}

const tasksWith = (...entries: OutboxEntry[]) =>
  shownWith(entries, () => useWithKept('user-1', [task, step])).map(({ id, state, kept }) => [id, state, kept])

test('new tasks and completions show at once, marked; steps are done with their task', () => {
  expect(tasksWith()).toEqual([
    ['a', 'da_fare', undefined],
    ['step', 'da_fare', undefined],
  ])
  expect(tasksWith(done, added, note)).toEqual([
    ['a', 'fatto', 'waiting'],
    ['step', 'fatto', 'waiting'],
    ['b', 'da_fare', 'waiting'],
  ])
})

test('a refused completion shows the task as it is, a refused new task stays with its mark', () => {
  expect(tasksWith({ ...done, refusal: 'gone' }, { ...added, refusal: 'invalid' })).toEqual([
    ['a', 'da_fare', undefined],
    ['step', 'da_fare', undefined],
    ['b', 'da_fare', 'refused'],
  ])
})

test('a note shows with its contact only', () => {
  expect(shownWith([note], () => useKeptNotes('user-1', 'anna'))).toEqual([note])
  expect(shownWith([note], () => useKeptNotes('user-1', 'bruno'))).toEqual([])
})
