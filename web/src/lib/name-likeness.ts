/** Whether two names are one, as the import decides it (db: private.is_better_name). */
import { fold } from '@/lib/fold'

const wordsOf = (name: string): string[] =>
  fold(name)
    .match(/[\p{L}\p{N}]+/gu)
    ?.toSorted() ?? []

/** The same words in any order, or one or two letters apart. */
export function isSameName(one: string, other: string): boolean {
  const [first, second] = [wordsOf(one), wordsOf(other)]
  if (first.join(' ') === second.join(' ')) return true
  const most = Math.min(2, Math.floor(other.length / 4))
  return edits(fold(one).replaceAll(/[^\p{L}\p{N}]/gu, ''), fold(other).replaceAll(/[^\p{L}\p{N}]/gu, '')) <= most
}

/** How many letters must be added, removed or changed (Levenshtein). */
function edits(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (const [i, letter] of [...one].entries()) {
    const row = [i + 1]
    for (let j = 0; j < other.length; j += 1) {
      const changed = (above[j] ?? 0) + (letter === other[j] ? 0 : 1)
      row.push(Math.min((above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, changed))
    }
    above = row
  }
  return above[other.length] ?? 0
}
