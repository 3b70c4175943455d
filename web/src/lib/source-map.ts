/** Finds in a source map what a place in a built script was written as. A chunk of its own: only admins need it. */
import { type EncodedSourceMap, originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping'

export type { EncodedSourceMap }

export type SourcePlace = {
  file: string
  line: number
  column: number
  /** The lines around it, empty if the map has no sources. */
  lines: { number: number; text: string }[]
}

const LINES_AROUND = 3
// Of a file that was minified before: its one line has it all.
const MAX_LINE = 300

/** Returns a finder for the places of one script; lines and columns count from 1, as in a stack. */
export function placesIn(map: EncodedSourceMap): (line: number, column: number) => SourcePlace | null {
  const trace = new TraceMap(map)
  return (line, column) => {
    if (line < 1 || column < 1) return null
    const found = originalPositionFor(trace, { line, column: column - 1 })
    if (found.source === null) return null
    const text = sourceContentFor(trace, found.source)
    return {
      // The map names sources from the folder of the build.
      file: found.source.replace(/^(?:\.\.\/)+/, ''),
      line: found.line,
      column: found.column + 1,
      lines: text === null ? [] : around(text.split('\n'), found.line),
    }
  }
}

function around(lines: string[], line: number): SourcePlace['lines'] {
  const first = Math.max(line - LINES_AROUND, 1)
  return lines
    .slice(first - 1, line + LINES_AROUND)
    .map((text, place) => ({ number: first + place, text: text.slice(0, MAX_LINE) }))
}
