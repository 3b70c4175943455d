import { render } from '@testing-library/react'
import { expect, test } from 'vitest'

import { MarkedText } from '@/components/marked-text'

test.each([
  ['La fattura scade oggi', [3, 10, 17, 21], 'La [fattura] scade [oggi]'],
  ['senza segni', [], 'senza segni'],
  ['oltre la fine', [9, 99], 'oltre la [fine]'],
  ['che si toccano', [0, 3, 2, 6], '[che][ si] toccano'],
])('«%s» shows its marks where the server says', (text, marks, shown) => {
  const { container } = render(<MarkedText text={text} marks={marks} />)
  expect(container.innerHTML.replaceAll(/<mark[^>]*>/g, '[').replaceAll('</mark>', ']')).toBe(shown)
})
