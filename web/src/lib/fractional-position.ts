/**
 * Places in a hand-ordered list as text keys: moving one row writes one row, nothing is renumbered.
 *
 * Keys compare byte by byte, as the columns `position` do (collate "C").
 */
import { generateKeyBetween } from 'fractional-indexing'

/**
 * A key that sorts after `before` and before `after`; null is the end of the list on that side.
 *
 * Two neighbours that share a key (two tabs added at the same moment) leave no room: the new key comes after both.
 */
export function between(before: string | null, after: string | null): string {
  return generateKeyBetween(before, before !== null && after !== null && before >= after ? null : after)
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
