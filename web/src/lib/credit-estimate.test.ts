import { expect, test } from 'vitest'

import type { Catalog } from '@/data/catalog'
import built from '@/data/catalog.gen.json'
import { advise, creditsPerMonth } from '@/lib/credit-estimate'

const catalog = built as Catalog

test.each([
  [{ messages: 0, deep: 0, advice: 0 }, 0],
  [{ messages: 17, deep: 3, advice: 0 }, 100],
  [{ messages: 12, deep: 0, advice: 6 }, 130],
])('%o needs %i credits a month', (habit, credits) => {
  expect(creditsPerMonth(habit, catalog.credit_prices)).toBe(credits)
})

test.each([
  [0, { kind: 'none' }],
  [1, { kind: 'pack', id: 'starter', months: 12 }],
  [50, { kind: 'pack', id: 'starter', months: 2 }],
  // The free credits come once: the second month has none.
  [100, { kind: 'pack', id: 'starter', months: 1 }],
  [101, { kind: 'pack', id: 'pro', months: 5 }],
  [550, { kind: 'pack', id: 'pro', months: 1 }],
  [551, { kind: 'pack', id: 'enterprise', months: 2 }],
  [1150, { kind: 'pack', id: 'enterprise', months: 1 }],
  [1151, { kind: 'packs', id: 'enterprise', count: 2 }],
])('for %i credits a month the advice is %o', (credits, expected) => {
  const { pack, ...advice } = { pack: undefined, ...advise(credits, catalog.packs) }
  expect({ ...advice, ...(pack && { id: pack.id }) }).toEqual(expected)
})
