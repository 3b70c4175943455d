import { expect, test } from 'vitest'

import { limitsOf, wishFrom } from '@/features/invoices/wish'

test.each([
  ['tutto', '', ''],
  ['mese', '2026-11-01', '2026-11-30'],
  ['mese-scorso', '2026-10-01', '2026-10-31'],
  ['trimestre', '2026-10-01', '2026-12-31'],
  ['trimestre-scorso', '2026-07-01', '2026-09-30'],
  ['anno', '2026-01-01', '2026-12-31'],
  ['anno-scorso', '2025-01-01', '2025-12-31'],
] as const)('the period «%s» goes from «%s» to «%s»', (period, from, to) => {
  expect(limitsOf(period, '2026-11-21')).toEqual({ from, to })
})

test('an address that says nothing, or nonsense, shows what is open in the usual direction', () => {
  const { wish, period } = wishFrom(new URLSearchParams('stato=boh&periodo=mai&tipo=x'), '2026-11-21')
  expect(wish).toEqual({ direction: 'attiva', state: 'aperte', from: '', to: '' })
  expect(period).toBe('tutto')
  expect(wishFrom(new URLSearchParams(), '2026-11-21', 'passiva').wish.direction).toBe('passiva')
})

const contactIn = (contact: string) => wishFrom(new URLSearchParams({ contatto: contact }), '2026-11-21').wish.contactId

test('an address may name a contact, and nothing else than a contact', () => {
  expect(contactIn('6f1c1f0e-0000-4000-8000-000000000001')).toBe('6f1c1f0e-0000-4000-8000-000000000001')
  expect(contactIn('1)&user_id=eq.2')).toBeUndefined()
})
