/** Places of a mail that wait for a value, such as {{nome}} or [giorno…]: as private.has_open_place finds them. */

const PLACE = /\{\{([^{}]*)\}\}|\{\{(?!\{)|\}\}|\[([^[\]]*…[^[\]]*)\]/g
const VALUE = /\{\{([^{}]*)\}\}/g

export type OpenPlace = {
  name: string
  start: number
  end: number
  /** In brackets: for the person, never filled in. */
  isHint: boolean
}

const plain = (name: string): string => name.replaceAll(/\s+/g, ' ').trim().toLocaleLowerCase('it')

function nameOf(whole: string, value: string | undefined, hint: string | undefined): string {
  if (value !== undefined) return plain(value) || whole
  if (hint !== undefined) return hint.replaceAll(/\s+/g, ' ').replaceAll(/^[…\s]+|[…\s]+$/g, '') || '…'
  return whole
}

/** All of them, in the order of the text. A text with one cannot be sent. */
export function openPlaces(text: string): OpenPlace[] {
  return [...text.matchAll(PLACE)].map(({ 0: whole, 1: value, 2: hint, index }) => ({
    name: nameOf(whole, value, hint),
    start: index,
    end: index + whole.length,
    isHint: hint !== undefined,
  }))
}

/** What these texts wait for, each once. */
export function openNames(...texts: string[]): string[] {
  return [...new Set(texts.flatMap((text) => openPlaces(text).map(({ name }) => name)))]
}

/** Puts values at their places; a place without one stays. A value is never read as a place. */
export function fillPlaces(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(VALUE, (whole, name: string) => values.get(plain(name)) ?? whole)
}

const SHORTEST = 3
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The other way round: puts the places for values where a text says them as whole words, the longest first. */
export function withPlaces(text: string, values: ReadonlyMap<string, string>): string {
  const names = new Map<string, string>()
  for (const [name, value] of values) if (value.length >= SHORTEST && !names.has(value)) names.set(value, name)
  const found = [...names.keys()].toSorted((a, b) => b.length - a.length).map(escaped)
  if (found.length === 0) return text
  // A place that is there already stays.
  const pattern = new RegExp(String.raw`\{\{[^{}]*\}\}|(?<![\p{L}\p{N}])(?:${found.join('|')})(?![\p{L}\p{N}])`, 'gu')
  return text.replaceAll(pattern, (value) => {
    const name = names.get(value)
    return name ? `{{${name}}}` : value
  })
}
