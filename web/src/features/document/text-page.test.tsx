import { expect, test } from 'vitest'

import { piecesOf } from '@/features/document/text-page'

test('marks fall on whole words, and the one that is looked at wins', () => {
  const pieces = piecesOf('Il totale  è di 1.220,00 euro', [
    { tone: 'quiet', boxes: [], span: [1, 1] },
    { tone: 'quiet', boxes: [], span: [4, 4] },
    { tone: 'loud', boxes: [], span: [4, 5] },
  ])
  expect(pieces).toEqual([
    { text: 'Il ', tone: null },
    { text: 'totale', tone: 'quiet' },
    { text: '  è di ', tone: null },
    { text: '1.220,00 euro', tone: 'loud' },
  ])
})

test('a mark outside of the text marks nothing', () => {
  expect(piecesOf('due parole', [{ tone: 'loud', boxes: [], span: [7, 9] }])).toEqual([
    { text: 'due parole', tone: null },
  ])
})
