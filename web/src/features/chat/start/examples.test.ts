import { expect, test } from 'vitest'

import { examplesFor } from '@/features/chat/start/examples'

const nothing = { contact: null, hasTasks: false, hasDeals: false, hasInvoices: false, hasDocuments: false }

test('who has nothing yet is shown what is always possible', () => {
  expect(examplesFor(nothing)).toEqual([
    'Domani alle 15 chiama il commercialista',
    'Quanti crediti mi restano?',
    'Che cosa sai fare?',
  ])
})

test('questions are about what the person has', () => {
  const examples = examplesFor({ ...nothing, contact: 'Rossi Impianti', hasInvoices: true })
  expect(examples.slice(0, 3)).toEqual([
    'Quali fatture sono scadute?',
    'Riassumi Rossi Impianti',
    'Chi devo richiamare?',
  ])
  expect(examples).toHaveLength(4)
})
