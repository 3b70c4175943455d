import { expect, test } from 'vitest'

import { piecesOf, withMarks, withoutMarks } from '@/features/chat/thread/marked-text'

test('citations and figures without a record are told apart from the words', () => {
  const text = 'Devi 1.220,00 €[^2] e forse 300 €.'
  const at = text.indexOf('300')
  expect(piecesOf(withMarks(text, [[at, at + 3]]))).toEqual([
    { kind: 'text', text: 'Devi 1.220,00\u00A0€' },
    { kind: 'citation', n: 2 },
    { kind: 'text', text: ' e forse ' },
    { kind: 'doubted', text: '300' },
    { kind: 'text', text: ' €.' },
  ])
})

test('places count in UTF-16 units', () => {
  expect(piecesOf(withMarks('😀 12', [[3, 5]]))).toEqual([
    { kind: 'text', text: '😀 ' },
    { kind: 'doubted', text: '12' },
  ])
})

test('marks that a text brings along are none', () => {
  expect(piecesOf(withMarks('a\uE0009\uE002b'))).toEqual([{ kind: 'text', text: 'a\uFFFD9\uFFFDb' }])
})

test('code shows what was written', () => {
  expect(withoutMarks(withMarks('x[^1] = 7', [[8, 9]]))).toBe('x[^1] = 7')
})
