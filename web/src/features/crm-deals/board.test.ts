import type { DragEndEvent } from '@dnd-kit/core'
import { expect, test } from 'vitest'

import type { Deal, Stage } from '@/data/deals'
import { announcementsOf } from '@/features/crm-deals/announcements'
import { columnsOf, daysInStage, isSamePlace, positionIn, type Slot, slotBeside } from '@/features/crm-deals/board'

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
  expect(slotBeside(columns, 'c', start, 'ArrowRight')).toEqual({ stageId: 'vinta', index: 1 })
  expect(slotBeside(columns, 'c', start, 'ArrowLeft')).toBeNull()
  expect(slotBeside(columns, 'c', start, 'ArrowDown')).toBeNull()
  expect(slotBeside(columns, 'c', start, 'ArrowUp')).toEqual({ stageId: 'nuova', index: 1 })
})

const at = (index: number, stageId = 'nuova') => ({ stageId, index })
const over = (slot: Slot) => ({ active: { id: 'a' }, over: { data: { current: { slot } } } }) as unknown as DragEndEvent

test('each arrow along a column moves the card by one, and no step is spent on its own place', () => {
  expect(slotBeside(columns, 'a', at(0), 'ArrowDown')).toEqual(at(2))
  expect(slotBeside(columns, 'a', at(2), 'ArrowUp')).toEqual(at(1))
  expect(slotBeside(columns, 'b', at(1), 'ArrowDown')).toBeNull()
  expect(slotBeside(columns, 'b', at(1), 'ArrowUp')).toEqual(at(0))
})

test('who hears the board is told the place that the card will have, and nothing of a loss before the answer', () => {
  const lost = { stage: { ...stage('persa', 0, 'persa'), name: 'Persa' }, deals: [], totalCents: 0, weightedCents: 0 }
  const { onDragOver, onDragEnd } = announcementsOf([open, lost])
  expect(onDragOver(over(at(2)))).toBe('nuova, posto 2')
  expect(onDragEnd(over(at(2)))).toBe('Lasciata in nuova, posto 2.')
  expect(onDragEnd(over(at(0, 'persa')))).toContain('andata persa?')
})

test('days in a stage are whole days', () => {
  const waiting = deal('a', 'nuova', 'a0', { stage_since: '2026-11-01T10:00:00Z' })
  expect(daysInStage(waiting, new Date('2026-11-03T09:59:00Z'))).toBe(1)
})
