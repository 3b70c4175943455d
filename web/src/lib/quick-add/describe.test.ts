import { describe, expect, test } from 'vitest'

import { describeDue, describeRule } from './describe'

const NOW = new Date('2026-11-20T10:00:00+01:00')

describe('a due date reads as people say it', () => {
  test.each([
    ['2026-11-20', true, 'oggi'],
    ['2026-11-21', true, 'domani'],
    ['2026-11-19', true, 'ieri'],
    ['2026-11-28', true, 'sab 28 nov'],
    ['2027-01-08', true, 'ven 8 gen 2027'],
    ['2026-11-21T15:00', false, 'domani 15:00'],
    ['2026-11-23T09:05', false, 'lun 23 nov 09:05'],
    ['2026-11-20T23:30:00+00:00', false, 'domani 00:30'],
    ['2026-11-20T23:00:00Z', true, 'domani'],
  ])('%s, all day %s', (due, allDay, text) => {
    expect(describeDue(due, allDay, NOW)).toBe(text)
  })
})

describe('a repetition reads as people say it', () => {
  test.each([
    ['FREQ=DAILY', 'ogni giorno'],
    ['FREQ=DAILY;INTERVAL=3', 'ogni 3 giorni'],
    ['FREQ=WEEKLY', 'ogni settimana'],
    ['FREQ=WEEKLY;BYDAY=MO', 'ogni lunedì'],
    ['FREQ=WEEKLY;BYDAY=MO,TH', 'ogni lunedì e giovedì'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'ogni giorno feriale'],
    ['FREQ=WEEKLY;INTERVAL=2', 'ogni 2 settimane'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'ogni 2 settimane: lunedì'],
    ['FREQ=MONTHLY', 'ogni mese'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', 'il primo del mese'],
    ['FREQ=MONTHLY;BYMONTHDAY=8', 'l’8 del mese'],
    ['FREQ=MONTHLY;BYMONTHDAY=16;INTERVAL=3', 'il 16 ogni 3 mesi'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', 'l’ultimo giorno del mese'],
    ['FREQ=MONTHLY;BYMONTHDAY=15,-2', 'il 15 e il 2º giorno dalla fine del mese'],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'l’ultimo venerdì del mese'],
    ['FREQ=MONTHLY;BYDAY=1SU', 'la prima domenica del mese'],
    ['FREQ=MONTHLY;BYDAY=-2MO', 'il 2º dalla fine lunedì del mese'],
    ['FREQ=YEARLY', 'ogni anno'],
    ['FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231', 'ogni lunedì fino al 31 dic 2026'],
    ['FREQ=DAILY;COUNT=5', 'ogni giorno, 5 volte'],
  ])('%s', (rrule, text) => {
    expect(describeRule(rrule)).toBe(text)
  })

  test('and says when it counts from the day it was done', () => {
    expect(describeRule('FREQ=DAILY;INTERVAL=3', 'completamento')).toBe('ogni 3 giorni dal completamento')
  })
})
