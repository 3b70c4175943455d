import { expect, test } from 'vitest'

import { byDocument } from '@/data/document-search'

const row = { kind: 'fattura' as const, snippet: 'una parola', marks: [4, 10] }

test('hits are gathered under their document, in the order of the answer', () => {
  const found = byDocument([
    { ...row, document_id: 'b', filename: 'b.pdf', page: 3 },
    { ...row, document_id: 'a', filename: 'a.pdf', page: 1 },
    { ...row, document_id: 'b', filename: 'b.pdf', page: 7 },
  ])
  expect(found.map(({ id, hits }) => [id, hits.map(({ page }) => page)])).toEqual([
    ['b', [3, 7]],
    ['a', [1]],
  ])
})
