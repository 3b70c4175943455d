/** Where something stands in a document: shared by the viewer and by all that jumps into it. */

/** Left, top, right, bottom in ten-thousandths of the page as it is shown. */
export type Box = readonly [number, number, number, number]

/** Words of a page by their number, the last one included: what is marked where a page has no picture. */
type Span = readonly [number, number]

/** A spot to look at; `boxes` is empty when only the page is known. */
export type Place = { page: number; boxes: Box[]; span?: Span }

/** `quiet` is one of many hits, `loud` the one that is looked at. */
export type Mark = { tone: 'quiet' | 'loud'; boxes: Box[]; span?: Span | undefined }

export const SCALE = 10_000

/** A box out of the database, which knows only that it is a list of numbers. */
export function boxOf(value: readonly number[] | null): Box | null {
  if (!value || value.length !== 4) return null
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = value
  return [x0, y0, x1, y1]
}
