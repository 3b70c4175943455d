import { expect, test } from 'vitest'

import { contradicted, type Memory } from '@/data/memories'
import { everything, isWished } from '@/features/memory/wish'

const memory = (change: Partial<Memory>): Memory => ({
  id: 'a',
  kind: 'preferenza',
  contact_id: null,
  contact: null,
  topic: null,
  body: 'Perché no: il caffè lo prendo amaro',
  state: 'attiva',
  importance: 3,
  origin: 'utente',
  source: 'manuale',
  source_id: null,
  source_quote: null,
  superseded_by: null,
  uses: 0,
  last_used_at: null,
  expires_at: null,
  created_at: '2026-11-20T09:00:00Z',
  updated_at: '2026-11-20T09:00:00Z',
  ...change,
})

test('words are found in any order, without accents, in the fact and in the name', () => {
  const one = memory({ contact_id: 'c', contact: { id: 'c', name: 'Niccolò Rossi' } })
  expect(isWished(one, { ...everything, text: 'niccolo caffe' })).toBe(true)
  expect(isWished(one, { ...everything, text: 'caffè dolce' })).toBe(false)
})

test('what was superseded is shown only to who asks for it', () => {
  const old = memory({ state: 'superata' })
  expect(isWished(old, everything)).toBe(false)
  expect(isWished(old, { ...everything, state: 'superata' })).toBe(true)
})

test('a proposal contradicts what holds on the same topic of the same person', () => {
  const known = memory({ id: 'k', topic: 'Pagamento', contact_id: 'c' })
  const proposal = memory({ id: 'p', topic: 'pagamento', contact_id: 'c', state: 'proposta' })
  expect(contradicted(proposal, [known, proposal])).toBe(known)
  expect(contradicted(proposal, [{ ...known, contact_id: 'other' }])).toBeUndefined()
  expect(contradicted({ ...proposal, topic: null }, [{ ...known, topic: null }])).toBeUndefined()
})
