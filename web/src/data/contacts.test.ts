/** What the list asks for, as it leaves the browser. */
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'

import { contactsQuery, type ContactWish } from '@/data/contacts'
import { everybody } from '@/data/contacts-filter'

import { answerWith, storeSession } from '../../test/network'

const everyone: ContactWish = { type: 'persona', filter: everybody, order: 'name', text: '' }
const page = (length: number) =>
  Array.from({ length }, (_, at) => ({ id: `id-${at}`, name: at === length - 1 ? 'Rossi "Beppe"' : 'Bianchi' }))

const fetch = (wish: ContactWish, pages: number) =>
  new QueryClient({ defaultOptions: { queries: { retry: false } } }).fetchInfiniteQuery({
    ...contactsQuery('user-1', wish),
    pages,
  })

test('the second page begins after the last of the first', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: page(100) }))
  await fetch(everyone, 2)
  expect(calls.map(({ path }) => path)).toEqual([
    '/rest/v1/contact_list?select=*&type=eq.persona&order=name.asc.nullslast,id.asc&limit=100',
    '/rest/v1/contact_list?select=*&type=eq.persona&order=name.asc.nullslast,id.asc&limit=100' +
      '&name=gte.Rossi+"Beppe"&or=(name.gt."Rossi+\\"Beppe\\"",and(name.eq."Rossi+\\"Beppe\\"",id.gt.id-99))',
  ])
})

test('a short page is the last', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: page(7) }))
  const { pages } = await fetch(everyone, 3)
  expect(pages.flat()).toHaveLength(7)
  expect(calls).toHaveLength(1)
})

test('a search looks at people and companies, in the order of the answer', async () => {
  storeSession()
  const calls = answerWith(({ path }) => ({
    body: path.includes('/rpc/') ? [{ id: 'b' }, { id: 'a' }] : [{ id: 'a' }, { id: 'b' }],
  }))
  const { pages } = await fetch({ ...everyone, text: 'rossi' }, 1)
  expect(pages.flat().map(({ id }) => id)).toEqual(['b', 'a'])
  expect(calls[0]).toMatchObject({ path: '/rest/v1/rpc/search_contacts', body: { _query: 'rossi', _limit: 100 } })
  expect(calls[1]?.path).toBe('/rest/v1/contact_list?select=*&id=in.(b,a)')
})
