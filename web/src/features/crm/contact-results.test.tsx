import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import type { ContactWish } from '@/data/contacts'
import { everybody } from '@/data/contacts-filter'
import { ContactResults } from '@/features/crm/contact-results'

import { answerWith, storeSession } from '../../../test/network'

const wish: ContactWish = { type: 'persona', filter: everybody, order: 'name', text: '' }
const contact = (id: string, name: string) => ({ id, name, type: 'persona', tags: [], consents: {}, origin: 'manuale' })
const ignore = () => undefined
const anna = contact('anna', 'Anna Verdi')
const luca = contact('luca', 'Luca Neri')

/** @param found what a search answers */
function open(found: ReturnType<typeof contact>[]) {
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
    return { body: path.includes('/contact_list?select=*') ? [anna, luca] : [] }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const at = (text: string) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <ContactResults userId="user-1" wish={{ ...wish, text }} onChange={ignore} onClear={ignore} onAdd={ignore} />
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
