/** Lists that somebody pastes: one line each, without bullets, numbers and boxes. */

const MOST = 100

export function linesIn(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*•–]|\d{1,3}[.)])?\s*(?:\[[ xX]?\])?\s+/, '').trim())
    .filter(Boolean)
    .map((line) => line.slice(0, 200))
    .slice(0, MOST)
}
