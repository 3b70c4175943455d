import { expect, test } from 'vitest'

import { sharedText } from '@/lib/shared-pieces'

test.each([
  ['a link alone', { url: 'https://a.example/' }, 'https://a.example/'],
  ['a link in the text', { title: 'Bando', text: 'Bando: https://a.example/' }, 'Bando: https://a.example/'],
  ['a title and a link', { title: 'Bando', text: ' ', url: 'https://a.example/' }, 'Bando\nhttps://a.example/'],
  ['the same twice', { text: 'https://a.example/', url: 'https://a.example/' }, 'https://a.example/'],
  ['nothing', {}, ''],
])('%s is one text without repetition', (_name, fields, text) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  expect(sharedText(form)).toBe(text)
})

test('a text is never longer than a note', () => {
  const form = new FormData()
  form.set('text', 'a'.repeat(30_000))
  expect(sharedText(form)).toHaveLength(20_000)
})
