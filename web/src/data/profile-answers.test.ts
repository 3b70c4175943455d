import { expect, test } from 'vitest'

import { answersSchema, changeFrom } from './profile-answers'

const answers = { fullName: ' Anna  Bianchi ', businessName: '  ', activity: 'Fotografa\t', taxRegime: '', goal: '' }

test('blank answers become null and lines lose stray white space', () => {
  expect(changeFrom(answers)).toEqual({
    full_name: 'Anna Bianchi',
    business_name: null,
    activity: 'Fotografa',
    tax_regime: null,
    goal: null,
  })
})

test('a chosen regime is kept, an invented one is not', () => {
  expect(changeFrom({ ...answers, taxRegime: 'forfettario' }).tax_regime).toBe('forfettario')
  expect(changeFrom({ ...answers, taxRegime: 'toString' }).tax_regime).toBeNull()
})

test('only the name has a minimum', () => {
  expect(answersSchema.safeParse({ ...answers, fullName: 'A' }).error?.issues[0]?.message).toBe(
    'Nome deve essere almeno 2 caratteri',
  )
  expect(answersSchema.safeParse(answers).success).toBe(true)
})
