import { describe, expect, test } from 'vitest'

import type { Breach } from '@/data/admin-breaches'
import { breachState } from '@/strings/breaches'

const breach: Breach = {
  id: 1,
  found_at: '2026-03-02T08:00:00',
  due_at: '2026-03-05T08:00:00',
  title: 'Portatile perso',
  facts: 'Perso in treno',
  people: 12,
  risk: 'risk',
  measures: '',
  reason_not: '',
  authority_told_at: null,
  people_told_at: null,
  is_open: true,
}

describe('the state of a breach', () => {
  test.each([
    ['2026-03-02T09:30:00', 'Garante entro 05/03/2026 08:00: 70 ore'],
    ['2026-03-05T06:30:00', 'Garante entro 05/03/2026 08:00: 1 ora'],
    ['2026-03-05T08:00:01', 'Garante entro 05/03/2026 08:00: in ritardo'],
  ])('at %s the 72 hours say what is due', (now, said) => {
    expect(breachState(breach, new Date(now))).toBe(said)
  })

  test('what is told, or needs not be told, is said', () => {
    const told = { ...breach, authority_told_at: '2026-03-03T08:00:00' }
    expect(breachState({ ...told, is_open: false })).toBe('Notificata')
    expect(breachState({ ...told, risk: 'high' })).toBe('Avvisa le persone senza ritardo')
    expect(breachState({ ...breach, risk: 'none' })).toBe('Scrivi perché non c’è rischio')
    expect(breachState({ ...breach, risk: 'none', is_open: false })).toBe('Nel registro, senza notifica')
  })
})
