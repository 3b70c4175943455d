/** Lists that somebody pastes: one line each, without bullets, numbers and boxes. */

const MOST = 100
const LENGTH = 200

/** As the database takes a title: tabs and other control characters are spaces, and one is enough. */
export const onOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** The first hundred lines, and how many there are beyond. */
export function linesIn(text: string): { lines: string[]; leftOut: number } {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => onOneLine(line).replace(/^(?:[-*•–]|\d{1,3}[.)])?\s*(?:\[[ xX]?\])?(?:\s+|$)/, ''))
    .filter(Boolean)
  return { lines: lines.slice(0, MOST).map((line) => line.slice(0, LENGTH)), leftOut: Math.max(0, lines.length - MOST) }
}

/** «Aggiungiamo le prime 100 righe: altre 50 restano fuori.» */
export const leftOutText = (taken: number, leftOut: number): string =>
  `Aggiungiamo le prime ${taken} righe: ${leftOut === 1 ? 'un’altra resta' : `altre ${leftOut.toLocaleString('it-IT')} restano`} fuori.`
