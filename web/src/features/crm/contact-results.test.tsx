import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import type { ContactWish } from '@/data/contacts'
import { everybody } from '@/data/contacts-filter'
import { ContactResults } from '@/features/crm/contact-results'
import { columnIds } from '@/features/crm/list-settings'

import { answerWith, storeSession } from '../../../test/network'

const wish: ContactWish = { type: 'persona', filter: everybody, order: 'name', text: '' }
const contact = (id: string, name: string) => ({ id, name, type: 'persona', tags: [], consents: {}, origin: 'manuale' })
const ignore = () => undefined
const anna = contact('anna', 'Anna Verdi')
const luca = contact('luca', 'Luca Neri')

/** @param found what a search answers */
function open(found: ReturnType<typeof contact>[], listed: object[] = [anna, luca], onChange: () => void = ignore) {
  storeSession()
  // jsdom draws nothing, so nothing changes its size.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    },
  )
  answerWith(({ path }) => {
    if (path.includes('/listed_contacts')) return { body: found }
    return { body: path.includes('/contact_list?select=*') ? listed : [] }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const at = (text: string) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <ContactResults
          userId="user-1"
          wish={{ ...wish, text }}
          settings={{ columns: columnIds, density: 'compact' }}
          onChange={onChange}
          onClear={ignore}
          onAdd={ignore}
        />
      </MemoryRouter>
    </QueryClientProvider>
  )
  const { rerender } = render(at(''))
  return (text: string) => rerender(at(text))
}

const select = async (name: string) => userEvent.setup().click(await screen.findByLabelText(`Seleziona ${name}`))

test('who has left the list with another search is no longer selected', async () => {
  const search = open([luca])
  await select('Anna Verdi')
  await select('Luca Neri')
  expect(screen.getByText('2 selezionati')).toBeDefined()
  search('luca')
  expect(await screen.findByText('1 selezionato')).toBeDefined()
})

test('two that are selected can be merged', async () => {
  open([])
  await select('Anna Verdi')
  expect(screen.queryByRole('link', { name: 'Unisci' })).toBeNull()
  await select('Luca Neri')
  const link = screen.getByRole('link', { name: 'Unisci' })
  expect(link.getAttribute('href')).toBe('/crm/doppioni?unisci=anna,luca')
})

test('a search that finds more than it shows says so', async () => {
  open(Array.from({ length: 100 }, (_, at) => contact(`id-${at}`, `Anna ${at}`)))('anna')
  expect(await screen.findByText(/primi 100: restringi la ricerca/)).toBeDefined()
})

/** As wide as a desk; jsdom has no width. */
const onADesk = () =>
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(new EventTarget(), { matches: query.includes('min-width'), media: query }),
  )
const headings = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
const cellsOf = (name: string) =>
  within(screen.getByRole('link', { name }).closest<HTMLElement>('[role="row"]') ?? document.body)
    .getAllByRole('cell')
    .slice(2)
    .map(({ textContent }) => textContent.replaceAll(/\s/g, ' '))

test('only columns with something in them are shown: what is owed, who was heard, one format for telephones', async () => {
  onADesk()
  open(
    [],
    [
      { ...anna, owed_cents: 427_000, late_cents: 120_000, phone: '3471234567' },
      { ...luca, last_interaction_at: new Date(Date.now() - 3 * 86_400_000).toISOString(), owed_currencies: ['USD'] },
    ],
  )
  await screen.findByText('+39 347 123 4567')
  expect(headings()).toEqual(['Selezione', 'Nome', 'Ti deve', 'Ultimo contatto', 'Telefono', 'Origine'])
  expect(cellsOf('Anna Verdi')).toEqual([
    '4.270,00 € (in ritardo: 1.200,00 €)',
    'mai',
    '+39 347 123 4567',
    'Aggiunto da te',
  ])
  expect(cellsOf('Luca Neri')).toEqual(['USD', '3 giorni fa', '—', 'Aggiunto da te'])
})

test('a click on «Ti deve» brings those who owe most to the top', async () => {
  onADesk()
  const onChange = vi.fn<() => void>()
  open([], [{ ...anna, owed_cents: 100 }], onChange)
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Ti deve' }))
  expect(onChange).toHaveBeenCalledWith({ order: 'owed_cents' })
})

test('on a phone a contact takes two lines: the name, and what they owe and when they were heard', async () => {
  open([], [{ ...anna, owed_cents: 427_000 }, luca])
  await screen.findByRole('link', { name: 'Anna Verdi' })
  expect(screen.getByText('Mai sentito', { selector: 'div:has(> span > span) > span' })).toBeDefined()
  expect(screen.getByText(/4.270,00/)).toBeDefined()
})
