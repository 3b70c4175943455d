import { expect, test } from 'vitest'

import type { Deal, Stage } from '@/data/deals'
import { columnsOf, daysInStage, isSamePlace, positionIn, slotBeside } from '@/features/crm-deals/board'

const stage = (id: string, probability: number, kind: Stage['kind'] = 'aperta') =>
  ({ id, name: id, probability, kind }) as Stage
const deal = (id: string, stage_id: string, position: string, more: Partial<Deal> = {}) =>
  ({ id, stage_id, position, amount_cents: 100_00, probability: null, ...more }) as Deal

const stages = [stage('nuova', 25), stage('vinta', 100, 'vinta')]
const deals = [
  deal('b', 'nuova', 'a1'),
  deal('a', 'nuova', 'Zz', { probability: 50 }),
  deal('c', 'vinta', 'a0', { probability: 10 }),
]
const [open, won] = columnsOf(stages, deals)
if (!open || !won) throw new Error('two columns')
const columns = [open, won]

test('a column has its cards in order, their total, and what can be expected of it', () => {
  expect(open.deals.map(({ id }) => id)).toEqual(['a', 'b'])
  expect([open.totalCents, open.weightedCents]).toEqual([200_00, 75_00])
  // What is won is certain, whatever was guessed before.
  expect(won.weightedCents).toBe(100_00)
})

test('a moved card sorts between its new neighbours', () => {
  const between = positionIn(open, 'c', 1)
  expect(between > 'Zz' && between < 'a1').toBe(true)
  expect(positionIn(open, 'a', 2) > 'a1').toBe(true)
  expect(positionIn(open, 'b', 0) < 'Zz').toBe(true)
})

test('a card dropped before or behind itself stays', () => {
  expect(isSamePlace(columns, 'a', { stageId: 'nuova', index: 1 })).toBe(true)
  expect(isSamePlace(columns, 'a', { stageId: 'nuova', index: 2 })).toBe(false)
  expect(isSamePlace(columns, 'a', { stageId: 'vinta', index: 0 })).toBe(false)
})

test('arrows lead over the board and end at its edges', () => {
  const start = { stageId: 'nuova', index: 2 }
  expect(slotBeside(columns, start, 'ArrowRight')).toEqual({ stageId: 'vinta', index: 1 })
  expect(slotBeside(columns, start, 'ArrowLeft')).toBeNull()
  expect(slotBeside(columns, start, 'ArrowDown')).toBeNull()
  expect(slotBeside(columns, start, 'ArrowUp')).toEqual({ stageId: 'nuova', index: 1 })
})

test('days in a stage are whole days', () => {
  const waiting = deal('a', 'nuova', 'a0', { stage_since: '2026-11-01T10:00:00Z' })
  expect(daysInStage(waiting, new Date('2026-11-03T09:59:00Z'))).toBe(1)
})
