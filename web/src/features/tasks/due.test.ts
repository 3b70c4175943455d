import { expect, test } from 'vitest'

import type { FallingDue } from '@/data/due-dates'
import type { Task } from '@/data/tasks'
import { dueShown, dueWords } from '@/features/tasks/due'
import type { Filters, Item } from '@/features/tasks/model'

const all: Filters = { text: '', projectId: null, contactId: null, priority: null }
const invoice: FallingDue = {
  id: 'i1 1',
  kind: 'incasso',
  day: '2026-12-01',
  documentId: 'd1',
  name: 'Fattura 13 · Neri S.r.l.',
  contactId: 'c1',
  amount: { cents: 122_000, currency: 'EUR' },
  taskId: 't1',
}
const contract: FallingDue = { ...invoice, id: 'd2', kind: 'documento', name: 'Affitto', amount: null, taskId: null }

test('an invoice says what to do and how much, a document that it ends', () => {
  expect(dueWords(invoice).replaceAll('\u00a0', ' ')).toBe('Incassa 1.220,00 € · Fattura 13 · Neri S.r.l.')
  expect(dueWords(contract)).toBe('Scade · Affitto')
})

test.each([
  ['everything', {}, ['i1 1', 'd2']],
  ['words', { text: 'neri' }, ['i1 1']],
  ['a contact', { contactId: 'c1' }, ['i1 1', 'd2']],
  ['another contact', { contactId: 'c2' }, []],
  ['a project', { projectId: 'p1' }, []],
  ['a priority', { priority: 3 }, []],
])('filters leave %s', (_, filters, ids) => {
  expect(dueShown([invoice, contract], [], { ...all, ...filters }).map(({ id }) => id)).toEqual(ids)
})

test.each([
  ['an open task of that day', { isDone: false, day: '2026-12-01' }, 0],
  ['a task of another day', { isDone: false, day: '2026-11-30' }, 1],
  ['a finished task', { isDone: true, day: '2026-12-01' }, 1],
])('%s hides its day of payment or not', (_, state, shown) => {
  const item = { task: { id: 't1' } as Task, ...state } as Item
  expect(dueShown([invoice], [item], all)).toHaveLength(shown)
})
