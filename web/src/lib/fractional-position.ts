/**
 * Places in a hand-ordered list as text keys: moving one row writes one row, nothing is renumbered.
 *
 * Keys compare byte by byte, as the columns `position` do (collate "C").
 */
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/**
 * A key that sorts after `before` and before `after`; null is the end of the list on that side.
 *
 * Two neighbours that share a key (two tabs added at the same moment) leave no room: the new key comes after both.
 */
export function between(before: string | null, after: string | null): string {
  return generateKeyBetween(before, before !== null && after !== null && before >= after ? null : after)
}

/** The keys of `count` rows in their order, before a row with the key `after`; null is the end of the list. */
export function keysBefore(after: string | null, count: number): string[] {
  return generateNKeysBetween(null, after, count)
}

/**
 * The key of a row that is put at `index` of a list whose rows have `positions`, in order and without the moved row.
 * Rows that share a key with the one before it are passed over, so that nothing else changes places.
 */
export function positionAt(positions: readonly string[], index: number): string {
  const before = positions[index - 1] ?? null
  const after = positions.slice(index).find((one) => before === null || one > before) ?? null
  return between(before, after)
}

export type Placed = { id: string; position: string }

/**
 * The keys to write so that the row `id` stands at `index` of `others` (in order, without it): its own, and new ones for
 * rows that share one key around that place and leave no room there.
 */
export function placesAt(others: readonly Placed[], id: string, index: number): Placed[] {
  const at = Math.min(index, others.length)
  const key = others[at - 1]?.position ?? null
  const from = others.findIndex(({ position }) => position === key)
  const next = others.findIndex(({ position }) => key === null || position > key)
  const to = next === -1 ? others.length : next
  // Of the rows with this key the shorter side gets new ones.
  const isBefore = key !== null && at - from < to - at
  const [start, stop] = isBefore ? [from, at] : [at, to]
  const ids = others.slice(start, stop).map((one) => one.id)
  const keys = generateNKeysBetween(others[start - 1]?.position ?? null, others[stop]?.position ?? null, ids.length + 1)
  return (isBefore ? [...ids, id] : [id, ...ids]).map((one, place) => ({ id: one, position: keys[place] ?? '' }))
}
