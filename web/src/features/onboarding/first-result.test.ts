import { expect, test } from 'vitest'

import type { Profile } from '@/data/profiles'

import { firstResult } from './first-result'

const profile: Profile = {
  user_id: '00000000-0000-4000-8000-000000000001',
  full_name: 'Anna Bianchi',
  avatar_url: null,
  onboarding_completed: false,
  onboarding_step: 3,
  business_name: null,
  activity: 'Fotografa',
  tax_regime: 'forfettario',
  vat_number: null,
  tax_code: null,
  goal: 'Rispondere in giornata',
  created_at: '2026-11-20T08:00:00Z',
}

const texts = (rows: Parameters<typeof firstResult>[0]) => firstResult(rows).findings.map((finding) => finding.text)

test('a complete profile with the welcome notification is told in three lines', () => {
  const rows = { profile, balance: 100, notifications: [{ title: 'Benvenuto', is_read: false }] }
  expect(texts(rows)).toEqual([
    'Hai 100 crediti. Questo riepilogo è costato 0.',
    '1 avviso da leggere: «Benvenuto».',
    '4 risposte su 4: il profilo è completo.',
  ])
  expect(firstResult(rows).nextStep).toContain('Rispondere in giornata')
})

test('what was skipped is named, and the next step leads there', () => {
  const rows = { profile: { ...profile, goal: null, tax_regime: null }, balance: 1, notifications: [] }
  expect(texts(rows)).toEqual([
    'Hai 1 credito. Questo riepilogo è costato 0.',
    'Nessun avviso da leggere.',
    '2 risposte su 4. Manca: il regime fiscale, il tuo obiettivo.',
  ])
  expect(firstResult(rows).nextStep).toContain('risposte che mancano')
})

test('a single answer is counted in the singular', () => {
  const rows = { profile: { ...profile, activity: null, goal: null, tax_regime: null }, balance: 0, notifications: [] }
  expect(texts(rows)[2]).toMatch(/^1 risposta su 4/)
})

test('several unread notifications are counted and the newest is named', () => {
  const notifications = [
    { title: 'Nuova', is_read: false },
    { title: 'Letta', is_read: true },
    { title: 'Vecchia', is_read: false },
  ]
  expect(texts({ profile, balance: 1500, notifications })).toContain('2 avvisi da leggere. L’ultimo: «Nuova».')
  expect(texts({ profile, balance: 1500, notifications })[0]).toContain('1.500 crediti')
})
