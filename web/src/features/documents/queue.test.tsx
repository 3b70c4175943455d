import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, test } from 'vitest'

import type { ListedDocument } from '@/data/documents'
import { Queue } from '@/features/documents/queue'

import { answerWith, storeSession } from '../../../test/network'

const paper = (id: string, change: Partial<ListedDocument>) => ({
  id,
  filename: `${id}.pdf`,
  state: 'pronto',
  error: null,
  pages: 1,
  pages_done: 1,
  parent_id: null,
  duplicate_of: null,
  ...change,
})

/** The queue of somebody with these documents; what is asked of the function is among the calls. */
function open(...documents: ReturnType<typeof paper>[]) {
  const calls = answerWith(({ path }) => ({
    body: path.includes('read_document')
      ? { id: documents[0]?.id, state: 'in_coda' }
      : path.includes('id=eq.primo')
        ? { filename: 'primo.pdf', deleted_at: null }
        : documents,
  }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <Queue userId="user-1" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), asked: () => calls.filter(({ path }) => path.includes('read_document')) }
}

const names = () => screen.getAllByRole('link').map(({ textContent }) => textContent)

beforeEach(() => storeSession())

test('a document that is read says at which page, and can be cancelled', async () => {
  const { user, asked } = open(paper('scan', { state: 'ocr', pages: 8, pages_done: 2 }))
  await screen.findByText('Pagina 3 di 8 (riconoscimento del testo)')
  expect(screen.getByRole('progressbar', { name: 'Lettura di scan.pdf' }).getAttribute('aria-valuenow')).toBe('2')
  await user.click(screen.getByRole('button', { name: 'Annulla lettura: scan.pdf' }))
  expect(asked().map(({ body }) => body)).toEqual([{ document_id: 'scan', action: 'cancel' }])
})

test('one that failed says why, and is tried again or put away', async () => {
  const { user, asked } = open(paper('rotto', { state: 'errore', error: 'Il file è vuoto.' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Il file è vuoto.')
  await user.click(screen.getByRole('button', { name: 'Riprova: rotto.pdf' }))
  expect(asked().map(({ body }) => body)).toEqual([{ document_id: 'rotto', action: 'retry' }])
  await user.click(screen.getByRole('button', { name: 'Togli dalla coda: rotto.pdf' }))
  expect(screen.queryByText('rotto.pdf')).toBeNull()
})

test('a copy leads to what is there already, and is not refused', async () => {
  open(paper('copia', { duplicate_of: 'primo' }))
  await screen.findByText('Ce l’hai già: è identico a «primo.pdf».')
  expect(screen.getByRole('link', { name: 'Apri quello che hai' }).getAttribute('href')).toBe('/documents/primo')
  expect(screen.getByRole('button', { name: 'Elimina questa copia' })).toBeDefined()
})

test('what lies in a ZIP stands below it, what is ready only as a number', async () => {
  open(
    paper('zip', { state: 'analisi' }),
    paper('uno', { parent_id: 'zip' }),
    paper('due', { parent_id: 'zip', state: 'lettura', pages: null }),
  )
  await screen.findByText('Dentro: 1 di 2 pronti')
  const [outer] = screen.getAllByRole('listitem')
  expect(within(outer ?? document.body).getByText('due.pdf')).toBeDefined()
  expect(screen.queryByText('uno.pdf')).toBeNull()
})

test('what went wrong and what moves stand before what waits and what is ready, and the rest is a press away', async () => {
  const { user } = open(
    ...['a', 'b', 'c', 'd', 'e'].map((id) => paper(id, {})),
    paper('attende', { state: 'in_coda' }),
    paper('rotto', { state: 'errore' }),
    paper('letto', { state: 'ocr' }),
  )
  await screen.findByText('Coda · 5 di 8 pronti')
  expect(names()).toEqual(['rotto.pdf', 'letto.pdf', 'attende.pdf', 'a.pdf', 'b.pdf', 'c.pdf'])
  await user.click(screen.getByRole('button', { name: 'Mostra tutti (8)' }))
  expect(names()).toHaveLength(8)
})
