import { describe, expect, test } from 'vitest'

import golden from '../../../../tests/vectors/quick_add.json'
import unseen from '../../../../tests/vectors/quick_add_unseen.json'
import { parseQuickAdd } from './parse'
import type { Parsed } from './parse'

type Phrase = Partial<Omit<Parsed, 'parts'>> & { text: string; parts?: string[][] }

const NOW = new Date('2026-11-20T10:00:00+01:00')
const whole = (phrase: Phrase) => ({
  title: phrase.title ?? phrase.text,
  due: phrase.due ?? null,
  all_day: !phrase.due?.includes('T'),
  rrule: phrase.rrule ?? null,
  repeat_from: phrase.repeat_from ?? 'scadenza',
  priority: phrase.priority ?? 0,
  contact: phrase.contact ?? null,
  project: phrase.project ?? null,
  someday: phrase.someday ?? false,
})

function read(text: string) {
  const { parts, ...said } = parseQuickAdd(text, NOW)
  return { said, parts: parts.map(({ kind, text: words }) => [kind, words]) }
}

describe('the phrases that the assistant reads alike', () => {
  test.each(golden.phrases as Phrase[])('$text', (phrase) => {
    expect(read(phrase.text)).toEqual({ said: whole(phrase), parts: phrase.parts ?? [] })
  })

  test('phrases that nobody tuned the rules for', () => {
    const phrases = unseen.phrases as Phrase[]
    const right = phrases.filter((phrase) => JSON.stringify(read(phrase.text).said) === JSON.stringify(whole(phrase)))
    expect(right.length / phrases.length).toBeGreaterThanOrEqual(0.95)
  })
})

test('offsets count as the field counts, also behind an emoji', () => {
  const text = '🎉 festa domani'
  expect(parseQuickAdd(text, NOW).parts).toEqual([{ kind: 'date', start: 9, end: 15, text: 'domani' }])
})

test('a part turned back into text stays in the title, whole', () => {
  expect(parseQuickAdd('il 5 dicembre con Rossi alle 15', NOW, [0])).toMatchObject({
    title: 'il 5 dicembre con Rossi',
    due: '2026-11-20T15:00',
  })
  expect(parseQuickAdd('sentire @Rossi #sito', NOW, [8])).toMatchObject({ title: 'sentire @Rossi', contact: null })
})

test('what is said shortly after midnight in Rome is said on that day', () => {
  expect(parseQuickAdd('domani', new Date('2026-06-30T22:30:00Z')).due).toBe('2026-07-02')
})

test('an hour takes an hour, also in the night when clocks change', () => {
  expect(parseQuickAdd("tra un'ora", new Date('2026-03-29T00:30:00Z')).due).toBe('2026-03-29T03:30')
})

test('beyond five hundred characters there is only title', () => {
  const long = 'parola '.repeat(1500)
  expect(parseQuickAdd(`domani ${long} venerdì`, NOW)).toMatchObject({ due: '2026-11-21', parts: [{ text: 'domani' }] })
  expect(parseQuickAdd(`${long} domani`, NOW).due).toBeNull()
})

const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The same numbers in every run. */
function* dice() {
  let state = 42
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

const WORDS = golden.phrases.flatMap(({ text }) => text.split(' '))
const SIGNS = [
  ...'«»"“”\'’!@#.,;:()-–/0123456789 \n\t',
  '\uD83C',
  '\uDF89',
  '\u0300',
  '\u202E',
  '\0',
  '🎉',
  '‼️',
  'İ',
  'ß',
  '１',
]

test('whatever is typed, parts and title hold every word of it, and no part is wider than the line', () => {
  const numbers = dice()
  const roll = (sides: number) => Math.floor((numbers.next().value ?? 0) * sides)
  for (let round = 0; round < 1500; round += 1) {
    const pieces = Array.from({ length: roll(12) }, () => {
      const list = roll(3) ? WORDS : SIGNS
      return `${list[roll(list.length)]}${roll(4) ? ' ' : ''}`
    })
    const text = pieces.join('')
    const { title, parts } = parseQuickAdd(text, NOW)
    let [rest, at] = ['', 0]
    for (const part of parts) {
      expect(part.start).toBeGreaterThanOrEqual(at)
      expect(part.end).toBeGreaterThan(part.start)
      expect(text.slice(part.start, part.end)).toBe(part.text)
      rest += text.slice(at, part.start)
      at = part.end
      expect(letters(parseQuickAdd(text, NOW, [part.start]).title)).toContain(letters(part.text))
    }
    expect(letters(title)).toBe(letters(rest + text.slice(at)))
  }
})

test('after an @ the whole of a known name is read', () => {
  const parsed = parseQuickAdd('sentire @studio  Conti domani', new Date('2026-11-20T09:00:00Z'), [], ['Studio Conti'])
  expect(parsed).toMatchObject({ title: 'sentire', contact: 'studio  Conti', due: '2026-11-21' })
  expect(parsed.parts[0]?.text).toBe('@studio  Conti')
})
