import { expect, test } from 'vitest'

import { fold } from '@/lib/fold'

import vectors from '../../../tests/vectors/names.json'

test.each(Object.entries(vectors.folded))('«%s» is folded as on the server', (text, folded) => {
  expect(fold(text)).toBe(folded)
})
