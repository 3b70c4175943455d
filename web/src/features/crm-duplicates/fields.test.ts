import { expect, test } from 'vitest'

import type { ComparedContact, Pair } from '@/data/duplicates'
import { differences, initialChoices, mergesOf, summary } from '@/features/crm-duplicates/fields'

const contact = (fields: Partial<ComparedContact>) =>
  ({
    emails: [],
    phones: [],
    contact_tags: [],
    company_name: null,
    address: null,
    ...fields,
  }) as unknown as ComparedContact

const pair: Pair = {
  first: contact({ first_name: 'Anna', last_name: 'Verdi', address: { city: 'Roma', street: 'Via Po 1' } }),
  second: contact({
    first_name: 'Anna',
    last_name: 'Verdi Rossi',
    vat_number: '07643520567',
    address: { city: 'Torino' },
  }),
  score: 0.9,
  reasons: ['nome'],
}

test('only what both say differently is asked', () => {
  expect(differences(pair).map(({ column, first, second }) => [column, first, second])).toEqual([
    ['last_name', 'Verdi', 'Verdi Rossi'],
    ['address', 'Via Po 1, Roma', 'Torino'],
  ])
  expect(initialChoices(pair)).toEqual({ last_name: 'winner', address: 'winner' })
})

test('a contact is recognised by what is known of it', () => {
  const known = contact({ emails: [{ value: 'a@b.it' }], contact_tags: [{ tags: { name: 'cliente' } }] })
  expect(summary(known)).toEqual(['a@b.it', '#cliente'])
})

const one = (id: string) => contact({ id, created_at: `2026-01-0${id}` })
const two = (first: string, second: string) => ({ first: one(first), second: one(second), score: 1, reasons: [] })

test('pairs that share a contact are merged into the oldest of them all', () => {
  const merges = mergesOf([two('b', 'c'), two('d', 'e'), two('a', 'b'), two('b', 'c')])
  expect(merges.map(({ first, second }) => first.id + second.id).toSorted()).toEqual(['ab', 'ac', 'de'])
})
