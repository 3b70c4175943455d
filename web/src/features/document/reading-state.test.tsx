import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import type { WholeDocument } from '@/data/document'
import { ReadingState } from '@/features/document/reading-state'

const document = { id: '1', state: 'pronto', error: null, pages: 8, pages_done: 8 } as WholeDocument

test.each([
  ['a document that was read', {}, 0, null],
  [
    'lost pages',
    { state: 'da_verificare', error: 'La lettura richiede troppo tempo.' },
    2,
    '2 pagine su 8 non lette. La lettura richiede troppo tempo.',
  ],
  ['a lost page of what was confirmed', {}, 1, '1 pagina su 8 non letta.'],
  [
    'what is missing',
    { state: 'da_verificare', error: 'Questa fattura non è nel registro.' },
    0,
    'Questa fattura non è nel registro.',
  ],
  ['what was settled since', { error: 'Questa fattura non è nel registro.' }, 0, null],
] as const)('%s', (_, change, lost, text) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ReadingState document={{ ...document, ...change }} userId="user-1" lost={lost} />
    </QueryClientProvider>,
  )
  expect(screen.queryByRole('button', { name: 'Riprova' })?.previousElementSibling?.textContent ?? null).toBe(text)
})
