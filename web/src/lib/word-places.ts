/**
 * Where a value stands among the words of a page, and the words beside which it stands: what a correction teaches.
 */
import { centsOf } from '@/lib/typed-amount'

/** Text, left, top, right, bottom in ten-thousandths of the page, confidence: an item of document_pages.words. */
export type PageWord = readonly [string, number, number, number, number, number]
export type ValueType = 'day' | 'money' | 'text'
type WordPlace = { box: [number, number, number, number]; label: string | null }

/** A date in words has three, an IBAN in groups of four has seven. */
const LONGEST_RUN = 8
const LABEL_WORDS = 4
const MONTHS = ['gen', 'feb', 'mar', 'apr', 'mag', 'giu', 'lug', 'ago', 'set', 'ott', 'nov', 'dic']

const dayText = (year: string, month: number, day: string): string =>
  `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`

/** A date as it is printed, as ISO text; null when it is none. */
function dayOf(text: string): string | null {
  const digits = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})$/.exec(text)
  if (digits) return dayText(digits[3] ?? '', Number(digits[2]), digits[1] ?? '')
  const [, day, month, year] = /^(\d{1,2})°? ([a-z]{3})[a-z]*\.? (\d{4})$/i.exec(text) ?? []
  const at = MONTHS.indexOf(month?.toLowerCase() ?? '')
  if (day && year && at !== -1) return dayText(year, at + 1, day)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null
}

const folded = (text: string): string => text.toLocaleLowerCase('it').replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Whether the printed `text` says `value`, as the database writes a value of this type. */
function says(type: ValueType, text: string, value: string): boolean {
  const bare = text.replaceAll(/^[:;,(]+|[:;,)]+$/g, '').trim()
  if (type === 'day') return dayOf(bare) === value
  if (type === 'money') return /\d/.test(bare) && centsOf(bare.replaceAll(/EUR|euro/gi, '')) === Number(value)
  return folded(bare) !== '' && folded(bare) === folded(value)
}

const isOnLine = ([, , top, , bottom]: PageWord, [, y0, , y1]: WordPlace['box']): boolean =>
  Math.min(bottom, y1) - Math.max(top, y0) > (y1 - y0) / 2

/** The words to the left, as far as they are no figures; else those right above. */
function labelOf(words: readonly PageWord[], box: WordPlace['box']): string | null {
  const [x0, y0, x1, y1] = box
  const left = words.filter((word) => isOnLine(word, box) && word[3] <= x0).toSorted((a, b) => a[1] - b[1])
  const above = words.filter(([, a, top, b]) => top < y0 && y0 - top < 3 * (y1 - y0) && a < x1 && b > x0)
  const lowest = Math.max(...above.map(([, , , , bottom]) => bottom))
  for (const line of [left, above.filter(([, , top]) => top < lowest && lowest - top <= 2 * (y1 - y0))]) {
    const figure = line.findLastIndex(([text]) => /\d/.test(text))
    const label = line
      .slice(figure + 1)
      .slice(-LABEL_WORDS)
      .map(([text]) => text)
      .join(' ')
      .replaceAll(/[\s:.]+$/g, '')
    if (/\p{L}{2}/u.test(label)) return label
  }
  return null
}

/** The first place of `words` that says `value`, one with words beside it before all others; null when there is none. */
export function placeOfValue(words: readonly PageWord[], type: ValueType, value: string): WordPlace | null {
  let found: WordPlace | null = null
  for (let from = 0; from < words.length; from += 1) {
    for (let count = 1; count <= Math.min(LONGEST_RUN, words.length - from); count += 1) {
      const run = words.slice(from, from + count)
      if (!says(type, run.map(([text]) => text).join(' '), value)) continue
      const box: WordPlace['box'] = [
        Math.min(...run.map(([, x0]) => x0)),
        Math.min(...run.map(([, , y0]) => y0)),
        Math.max(...run.map(([, , , x1]) => x1)),
        Math.max(...run.map(([, , , , y1]) => y1)),
      ]
      const label = labelOf(words, box)
      if (label) return { box, label }
      found ??= { box, label }
    }
  }
  return found
}
