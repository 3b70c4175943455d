/**
 * What an answer marks: citations `[^n]` and figures that no record backs. They travel through Markdown as characters of
 * the private use area, which no syntax knows; those that a text brought along are taken out first.
 */

const CITED = '\uE000'
const DOUBTED = '\uE001'
const END = '\uE002'
const OWN = /[\uE000-\uE002]/g
const CITATION = /\[\^(\d{1,4})\]/g

/** A piece of a marked text. */
export type Piece = { kind: 'text'; text: string } | { kind: 'citation'; n: number } | { kind: 'doubted'; text: string }

/** `text` with its marks; `doubted` are pieces [start, end) of it, in UTF-16 units. */
export function withMarks(text: string, doubted: readonly (readonly [number, number])[] = []): string {
  // As long as before: the places stay right.
  let marked = text.replace(OWN, '\uFFFD')
  for (const [start, end] of doubted.toSorted(([a], [b]) => b - a)) {
    const piece = marked.slice(start, end)
    if (piece !== '' && !piece.includes('\n'))
      marked = `${marked.slice(0, start)}${DOUBTED}${piece}${END}${marked.slice(end)}`
  }
  // An amount stays with its sign.
  return marked.replace(/(\d) €/g, '$1\u00A0€').replace(CITATION, `${CITED}$1${END}`)
}

/** The pieces of words that have come through Markdown. */
export function piecesOf(words: string): Piece[] {
  const pieces: Piece[] = []
  let isOpen: typeof CITED | typeof DOUBTED | null = null
  for (const part of words.split(/([\uE000-\uE002])/)) {
    if (part === CITED || part === DOUBTED) isOpen = part
    else if (part === END) isOpen = null
    else if (part !== '') pieces.push(pieceOf(part, isOpen))
  }
  return pieces
}

function pieceOf(text: string, mark: typeof CITED | typeof DOUBTED | null): Piece {
  if (mark === CITED) return { kind: 'citation', n: Number(text) }
  return { kind: mark === DOUBTED ? 'doubted' : 'text', text }
}

/** The words as they were typed, for code and for copying. */
export function withoutMarks(words: string): string {
  return words.replace(/\uE000(\d+)\uE002/g, '[^$1]').replace(OWN, '')
}
