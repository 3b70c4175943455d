import { expect, test } from 'vitest'

import { viesAnswer } from '@/data/vat-check'

const answered = {
  vat_number: '00743110157',
  vies_vat_number: '00743110157',
  vies_registered: true,
  vies_name: 'ROSSI SRL',
  vies_checked_at: '2026-11-23T09:00:00Z',
}

test('an answer is shown with its date', () => {
  expect(viesAnswer(answered)).toEqual({ registered: true, name: 'ROSSI SRL', checkedAt: '2026-11-23T09:00:00Z' })
})

test('an answer about a number that was changed since says nothing', () => {
  expect(viesAnswer({ ...answered, vat_number: '01234560017' })).toBeNull()
  expect(viesAnswer({ ...answered, vat_number: null })).toBeNull()
})

test('who was not asked has not answered', () => {
  const nothing = { vies_vat_number: null, vies_registered: null, vies_name: null, vies_checked_at: null }
  expect(viesAnswer({ vat_number: null, ...nothing })).toBeNull()
})
