/** What the list asks for, as it leaves the browser. */
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'

import { contactsQuery, type ContactWish, idsOf } from '@/data/contacts'
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

test('who owes most comes first, and the next page begins below them', async () => {
  storeSession()
  const owing = Array.from({ length: 100 }, (_, at) => ({ id: `id-${at}`, name: 'Rossi', owed_cents: 1_000 - at }))
  const calls = answerWith(() => ({ body: owing }))
  await fetch({ ...everyone, order: 'owed_cents' }, 2)
  const list = '/rest/v1/contact_list?select=*&type=eq.persona&order=owed_cents.desc.nullslast,id.asc&limit=100'
  expect(calls.map(({ path }) => path)).toEqual([
    list,
    `${list}&or=(owed_cents.lt."901",owed_cents.is.null,and(owed_cents.eq."901",id.gt.id-99))`,
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
  const calls = answerWith(() => ({ body: [{ id: 'b' }, { id: 'a' }] }))
  const { pages } = await fetch({ ...everyone, text: 'rossi' }, 1)
  expect(pages.flat().map(({ id }) => id)).toEqual(['b', 'a'])
  expect(calls).toMatchObject([
    { path: '/rest/v1/rpc/listed_contacts?limit=100', body: { _query: 'rossi', _limit: 100 } },
  ])
})

const vip: ContactWish = { ...everyone, text: 'rossi', filter: { all: [{ field: 'origin', any: ['import'] }] } }

test('a filter is put to all that a search finds, not to the first hundred', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: [] }))
  await fetch(vip, 1)
  expect(calls[0]?.path).toBe('/rest/v1/rpc/listed_contacts?or=(and(origin.in.(import)))&limit=100')
  expect(calls[0]?.body).toEqual({ _query: 'rossi' })
})

test('all that a search finds is exported', async () => {
  storeSession()
  const calls = answerWith(({ path }) => ({ body: path.includes('offset=0') ? page(1000) : page(7) }))
  expect(await idsOf({ ...everyone, text: 'rossi' })).toHaveLength(1007)
  expect(calls.map(({ body }) => body)).toEqual([{ _query: 'rossi' }, { _query: 'rossi' }])
})
