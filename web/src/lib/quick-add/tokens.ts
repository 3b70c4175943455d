/** Words, numbers and signs of a line, with their places; what stands in quotes is one closed token. */
import { fold } from '@/lib/fold'

/** `norm` is what rules compare: lower case, no accents, straight apostrophe. */
export type Token = { raw: string; norm: string; start: number; end: number }

// As in functions/_shared/quick_add/tokens.py.
const QUOTED = '«[^»]*»|"[^"]*"|“[^”]*”'
const WORD = '[\\p{L}\\p{N}_]+'
const TOKEN = new RegExp(
  `${QUOTED}|[@#](?:${QUOTED}|${WORD}(?:[.&'’+-]${WORD})*)|!+|‼\uFE0F?|[\\p{L}\\p{Nl}\\p{No}\u0300-\u036F]+['’]?` +
    '|[0-9]+(?:[.:/,-][0-9]+)*[°º]?|\\S',
  'gu',
)

/** All tokens in order; white space is between them. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map(({ 0: raw, index }) => ({
    raw,
    norm: fold(raw),
    start: index,
    end: index + raw.length,
  }))
}

export const isCapital = ({ raw }: Token) => /^\p{Lu}/u.test(raw)

/** Whether a part may begin here: not in the middle of a word, an address, a quotation. */
export const opens = (text: string, place: number) => place === 0 || /[\s([,;]/.test(text.charAt(place - 1))

/** Whether a part may end here. */
export const closes = (text: string, place: number) =>
  /^(?:$|\s|[,;](?![0-9])|[.:!?)\]…](?:$|[\s.,;:!?)\]…]))/.test(text.slice(place, place + 2))
