/**
 * The table of rules, read once: words with their values, and sayings as sequences of words and slots.
 *
 * The table lies beside the Python reader, which is deployed without the client; functions/_shared/quick_add/rules.py
 * says how it is written.
 */
import table from '../../../../functions/_shared/quick_add/rules.json'

import { fold } from '@/lib/fold'

export type Value = number | string | number[]
export type Values = Record<string, Value>
/** A place that takes a value: `name` in the answer, `type` in the table. */
export type Slot = { name: string; type: string }
export type Item = { options: (string | Slot)[]; optional: boolean }
/** One saying: its operation, what it fills, its items, and what it sets or demands. */
export type Rule = { op: string; group: string; items: Item[]; settings: Values }

// Which slot of the answer an operation fills; all others fill the date.
const GROUPS: Record<string, string> = {
  clock: 'time',
  moment: 'time',
  part: 'time',
  wait: 'time',
  every: 'recurrence',
  level: 'priority',
  someday: 'someday',
  leave: 'leave',
  void: 'void',
}

/** A saying as the matcher wants it. */
export function itemsOf(saying: string): Item[] {
  return saying.split(' ').map((written) => {
    const optional = written.length > 1 && written.endsWith('?')
    return { options: (optional ? written.slice(0, -1) : written).split('|').map(optionOf), optional }
  })
}

function optionOf(written: string): string | Slot {
  const [, name, type] = /^<(\w+):?(\w*)>$/.exec(written) ?? []
  return name ? { name, type: type || name } : fold(written)
}

function valueOf(written: string): Value {
  if (/^-?[0-9]+$/.test(written)) return Number(written)
  return /^[0-9,]+$/.test(written) ? written.split(',').map(Number) : written
}

function ruleOf(op: string, written: string): Rule {
  const [saying = '', right] = written.split(' = ')
  const settings = (right?.split(' ') ?? []).map((each): [string, Value] => {
    const [name = '', ...rest] = each.split(':')
    return [name, rest.length > 0 ? valueOf(rest.join(':')) : 1]
  })
  return { op, group: GROUPS[op] ?? 'date', items: itemsOf(saying), settings: Object.fromEntries(settings) }
}

/** «0 lun mar» counts from zero, «natale=1225» says its value; «lunedi'» is lunedì on a foreign keyboard. */
function lexicon(written: string): Map<string, Value> {
  const words = new Map<string, Value>()
  let count = 0
  for (const each of written.split(' ')) {
    if (/^[0-9]+$/.test(each)) {
      count = Number(each)
      continue
    }
    const [names = '', value] = each.split('=')
    for (const name of names.split('|')) {
      words.set(fold(name), value ? valueOf(value) : count)
      if (name.normalize('NFD').endsWith('\u0300')) words.set(`${fold(name)}'`, value ? valueOf(value) : count)
    }
    count += 1
  }
  return words
}

const mapped = <From, To>(from: Record<string, From>, to: (value: From, name: string) => To) =>
  new Map(Object.entries(from).map(([name, value]) => [name, to(value, name)]))

export const LISTS: Record<string, string> = table.lists
export const NUMBERS: Record<string, number[]> = table.numbers
export const PARTS: Record<string, number[]> = table.parts
export const WORDS = mapped<string, Map<string, Value>>(table.words, lexicon)
for (const [name, parts] of Object.entries(LISTS)) {
  WORDS.set(name, new Map(parts.split(' ').flatMap((part) => Array.from(WORDS.get(part) ?? []))))
}
export const SHAPES = mapped<string[], [RegExp, string[]]>(table.shapes, ([pattern = '', ...names]) => [
  new RegExp(pattern),
  names,
])
export const RULES = Object.entries(table.rules).flatMap(([op, sayings]) => sayings.map((each) => ruleOf(op, each)))
export const TAILS = table.tails.map((each) => ruleOf('every', each))
export const LEADS = Object.entries(table.leads).flatMap(([group, leads]) =>
  leads.map((each) => ({ ...ruleOf('leave', each), group })),
)
export const ENDS = mapped<string, Item[]>(table.ends, itemsOf)
export const NOT_AFTER = mapped<string, Set<string>>(table.not_after, (words) => new Set(words.split(' ')))
export const EITHER = new Set(table.either.split(' '))
export const JOINS = new Set(table.joins.split(' '))
export const NAMES = new Set(table.names.split(' '))
export const VERBS = table.verbs.split(' ')
