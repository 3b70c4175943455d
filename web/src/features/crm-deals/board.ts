/** What the board computes: columns in order, their totals, how long a card has waited, and where a moved one goes. */
import type { Deal, Stage } from '@/data/deals'
import { positionAt } from '@/lib/fractional-position'

export type Column = { stage: Stage; deals: Deal[]; totalCents: number; weightedCents: number }

const DAY_MS = 86_400_000

/** One column for each stage, its cards by their position. */
export function columnsOf(stages: readonly Stage[], deals: readonly Deal[]): Column[] {
  return stages.map((stage) => {
    const own = deals.filter(({ stage_id }) => stage_id === stage.id).toSorted(byPosition)
    return {
      stage,
      deals: own,
      totalCents: sum(own.map(({ amount_cents }) => amount_cents)),
      weightedCents: Math.round(sum(own.map((deal) => (deal.amount_cents * chance(deal, stage)) / 100))),
    }
  })
}

/** The owner's own guess counts only while the deal is open. */
function chance({ probability }: Deal, stage: Stage): number {
  return stage.kind === 'aperta' ? (probability ?? stage.probability) : stage.probability
}

// Keys compare byte by byte; two that are the same keep the order of their ids.
function byPosition(one: Deal, other: Deal): number {
  if (one.position !== other.position) return one.position < other.position ? -1 : 1
  return one.id < other.id ? -1 : 1
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

/** Whole days in the present stage. */
export function daysInStage({ stage_since }: Deal, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - new Date(stage_since).getTime()) / DAY_MS))
}

/** A place on the board: before the card that has `index` among the cards of the stage. */
export type Slot = { stageId: string; index: number }

/** The key of `dealId` when it is put into `slot`, as the board is drawn with the card still in its old place. */
export function positionIn(column: Column, dealId: string, index: number): string {
  const others = column.deals.filter(({ id }) => id !== dealId)
  return positionAt(
    others.map(({ position }) => position),
    placeIn(column, dealId, index) - 1,
  )
}

/** Whether a card dropped there would stay where it is: before itself, or before the card that follows it. */
export function isSamePlace(columns: readonly Column[], dealId: string, { stageId, index }: Slot): boolean {
  const at = columns.find(({ stage }) => stage.id === stageId)?.deals.findIndex(({ id }) => id === dealId) ?? -1
  return at !== -1 && (index === at || index === at + 1)
}

/** The place that `dealId` has once it lies in `slot`: the first is 1, and the card itself is not counted. */
export function placeIn(column: Column, dealId: string, index: number): number {
  return column.deals.slice(0, index).filter(({ id }) => id !== dealId).length + 1
}

/** Whether a deal that comes into this stage has been lost just now, so that it is asked why. */
export const isLoss = ({ kind, id }: Stage, deal: Deal): boolean => kind === 'persa' && deal.stage_id !== id

/** Where an arrow key leads `dealId` from `slot`; null at the edge of the board. */
export function slotBeside(columns: readonly Column[], dealId: string, slot: Slot, key: string): Slot | null {
  const at = columns.findIndex(({ stage }) => stage.id === slot.stageId)
  const beside = (step: 1 | -1): Slot | null => {
    const next = columns[at + step]
    return next ? { stageId: next.stage.id, index: Math.min(slot.index, next.deals.length) } : null
  }
  const along = (step: 1 | -1): Slot | null => {
    const column = columns[at]
    if (!column) return null
    const moved = (index: number) => placeIn(column, dealId, index) !== placeIn(column, dealId, slot.index)
    // Before the card and behind it is the same place.
    const index = [slot.index + step, slot.index + 2 * step].find(moved)
    return index === undefined || index < 0 || index > column.deals.length ? null : { ...slot, index }
  }
  switch (key) {
    case 'ArrowLeft':
      return beside(-1)
    case 'ArrowRight':
      return beside(1)
    case 'ArrowUp':
      return along(-1)
    case 'ArrowDown':
      return along(1)
    default:
      return null
  }
}
