import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'

import { changesLists, documentsQuery, type ListedDocument, patchDocument, queueKey } from '@/data/documents'
import { noFilter } from '@/data/documents-wish'

const wish = { ...noFilter, text: '', isTrash: false }
const scan = {
  id: 'd1',
  filename: 'scan.pdf',
  state: 'ocr',
  pages: 8,
  pages_done: 2,
  deleted_at: null as string | null,
} as ListedDocument

test('a page that was read shows in the queue and in the list, without asking again', () => {
  const client = new QueryClient()
  const key = documentsQuery('user-1', wish).queryKey
  client.setQueryData(queueKey('user-1'), [scan])
  client.setQueryData(key, { pages: [[scan]], pageParams: [null] })

  expect(patchDocument(client, 'user-1', { id: 'd1', pages_done: 3 })).toBe(scan)
  expect(client.getQueryData<ListedDocument[]>(queueKey('user-1'))?.[0]?.pages_done).toBe(3)
  expect(client.getQueryData(key)?.pages[0]?.[0]?.pages_done).toBe(3)
  expect(patchDocument(client, 'user-1', { id: 'another', pages_done: 3 })).toBeNull()
  // A late word of a deletion that was taken back: the row that is on the screen is no row of the trash.
  patchDocument(client, 'user-1', { id: 'd1', deleted_at: '2026-11-21' })
  expect(client.getQueryData<ListedDocument[]>(queueKey('user-1'))?.[0]?.deleted_at).toBeNull()
})

test('only what moves a document, or what stands beside it, asks for the lists again', () => {
  const further = { ...scan, pages_done: 3 }
  expect(changesLists(scan, further)).toBe(false)
  expect(changesLists(scan, { ...scan, state: 'analisi' })).toBe(false)
  expect(changesLists(scan, { ...scan, state: 'pronto' })).toBe(true)
  expect(changesLists(scan, { ...scan, deleted_at: '2026-11-21' })).toBe(true)
})
