/** Sayings against tokens: how far a rule reaches from a place, and which values it took on its way. */
import { ENDS, JOINS, LEADS, LISTS, NAMES, NOT_AFTER, NUMBERS, RULES, SHAPES, VERBS, WORDS, itemsOf } from './rules'
import type { Item, Rule, Slot, Values } from './rules'
import { closes, isCapital, opens } from './tokens'
import type { Token } from './tokens'

/** Tokens from `first` up to `end`, read by `rule`; `kind` is what the part is shown as. */
export type Match = { rule: Rule; kind: string; first: number; end: number; values: Values }
/** Where the part before ended, and its group. */
export type Last = { end: number; group: string }
export const NOWHERE: Last = { end: -1, group: '' }
export type Line = { text: string; tokens: Token[] }
const LEFT = RULES.filter(({ op }) => op === 'leave')
type Reached = { end: number; values: Values }

/** Where the saying ends if it begins at `place`; optional items are taken when they can be. */
export function reach(line: Line, items: Item[], place: number, step = 0): Reached | null {
  const item = items[step]
  if (!item) return { end: place, values: {} }
  for (const option of item.options) {
    const taken = take(line, option, place)
    const rest = taken && reach(line, items, taken.end, step + 1)
    if (rest) return { end: rest.end, values: { ...taken.values, ...rest.values } }
  }
  return item.optional ? reach(line, items, place, step + 1) : null
}

function take({ tokens }: Line, option: string | Slot, place: number): Reached | null {
  const token = tokens[place]
  if (!token) return null
  if (typeof option === 'string') return token.norm === option ? { end: place + 1, values: {} } : null
  if (LISTS[option.type]) return takeList(tokens, option, place)
  const values = read(option, token)
  return values && { end: place + 1, values }
}

/** «lunedì, mercoledì e venerdì». */
function takeList(tokens: Token[], slot: Slot, place: number): Reached | null {
  const found = new Set<number>()
  let end = place
  for (const [index, { norm }] of tokens.entries()) {
    if (index < place) continue
    const value = WORDS.get(slot.type)?.get(norm)
    if (typeof value === 'number') {
      found.add(value)
      end = index + 1
    } else if (found.size === 0 || !JOINS.has(norm)) break
  }
  return found.size > 0 ? { end, values: { [slot.name]: [...found].toSorted() } } : null
}

/** Every rule that holds at this place, in the order of the table. */
export function matches(line: Line, place: number, last: Last): Match[] {
  if (!opens(line.text, line.tokens[place]?.start ?? 0)) return []
  const found = RULES.map((rule) => apply(line, rule, null, place, place, last))
  for (const lead of LEADS) {
    const begin = follows(line, lead, place, last) ? reach(line, lead.items, place)?.end : 0
    if (!begin) continue
    for (const rule of RULES) {
      if (rule.group === lead.group) found.push(apply(line, rule, lead, place, begin, last))
    }
  }
  return found.filter((each) => each !== null)
}

/** Whether a «leave» begins within a match and goes beyond it: «alle 15 aziende». */
export function cuts(line: Line, { first, end }: Match): boolean {
  const within = Array.from({ length: end - first - 1 }, (_, index) => first + 1 + index)
  return within.some((place) => LEFT.some((rule) => (apply(line, rule, null, place, place, NOWHERE)?.end ?? 0) > end))
}

function apply(line: Line, rule: Rule, lead: Rule | null, first: number, place: number, last: Last): Match | null {
  const { settings } = rule
  const led = lead?.settings ?? {}
  if (!mayLead(rule, lead) || !follows(line, rule, first, last) || refused(line, rule, lead, first, last)) return null
  const reached = reach(line, rule.items, place)
  const begin = line.tokens[place]
  if (!reached || (settings.lower && begin && isCapital(begin))) return null
  const end = led.to ? rangeEnd(line, String(led.to), reached.end) : reached.end
  const final = line.tokens[end - 1]
  if (!final || !closes(line.text, final.end) || !holds(line, settings, first, end)) return null
  const kind = led.deadline ? 'deadline' : rule.group
  return { rule, kind, first, end, values: { ...settings, ...reached.values } }
}

/** «dalle 15 alle 16» is one part; «tra le 15» alone says nothing. */
function rangeEnd(line: Line, name: string, place: number): number {
  const until = reach(line, ENDS.get(name) ?? [], place)
  const clocks = RULES.filter(({ op }) => until && op === 'clock')
  const ends = clocks.map(({ items }) => reach(line, items, until?.end ?? 0)?.end ?? 0)
  return Math.max(...ends, 0) || (name === 'between' ? 0 : place)
}

function follows({ tokens }: Line, { settings }: Rule, place: number, last: Last): boolean {
  if (!settings.after) return true
  const near = last.end === place || (last.end === place - 1 && tokens[place - 1]?.norm === ',')
  return near && String(settings.after).split(',').includes(last.group)
}

/** «fattura del 5 dicembre» names a thing. */
function refused({ tokens }: Line, rule: Rule, lead: Rule | null, first: number, last: Last): boolean {
  const before = tokens[first - 1]
  if (!before || first === last.end || lead?.settings.after || rule.settings.after) return false
  return NOT_AFTER.get(rule.group)?.has(before.norm) ?? false
}

function holds(line: Line, { last, then, unless, glued }: Values, first: number, end: number): boolean {
  if (last && line.tokens.slice(end).some(({ raw }) => /^[\p{L}\p{N}]/u.test(raw))) return false
  if (then && !reach(line, itemsOf(String(then)), end)) return false
  if (unless && first > 0 && reach(line, itemsOf(String(unless)), first - 1)) return false
  return (
    !glued || line.tokens.slice(first + 1, end).every(({ start }, index) => line.tokens[first + index]?.end === start)
  )
}

/** Hours need «alle»; «entro» takes more than other words. */
function mayLead({ op, group, settings }: Rule, lead: Rule | null): boolean {
  if (op === 'clock') return lead !== null && !lead.settings.bare
  if (group === 'time' && lead) return Boolean(lead.settings.bare) && op !== 'part'
  return !settings.deadline || Boolean(lead?.settings.deadline)
}

function read({ name, type }: Slot, token: Token): Values | null {
  if (type === 'Capital') return isCapital(token) && !VERBS.some((end) => token.norm.endsWith(end)) ? {} : null
  if (type === 'Name') return isCapital(token) && NAMES.has(token.norm) ? {} : null
  const shape = SHAPES.get(type)
  if (shape) return readShape(...shape, name === type, token)
  const exact = token.raw.startsWith('0') ? { exact: 1 } : {}
  const [low, high] = NUMBERS[type] ?? []
  if (low === undefined || high === undefined) {
    const word = WORDS.get(type)?.get(token.norm)
    return word === undefined ? null : { [name]: word }
  }
  const digits = /^([0-9]{1,4})[°º]?$/.exec(token.raw)
  const value = Number(digits ? digits[1] : WORDS.get('number')?.get(token.norm))
  return value >= low && value <= high ? { [name]: value, ...(name === 'hour' && exact) } : null
}

function readShape(pattern: RegExp, names: string[], wanted: boolean, { raw }: Token): Values | null {
  const found = pattern.exec(raw)
  if (!found || !wanted) return found && {}
  const values: Values = {}
  for (const [index, name] of names.entries()) {
    const value = Number(found[index + 1])
    values[name] = name === 'year' && value < 100 ? 2000 + value : value
  }
  return /^0|:/.test(raw) && 'hour' in values ? { ...values, exact: 1 } : values
}
