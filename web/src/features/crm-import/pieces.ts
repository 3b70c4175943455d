/** A file of contacts in pieces small enough to be handed over by a worker without the page standing still. */
import { type CsvRow, type CsvTable, FileProblem, readCsv } from '@/lib/contact-csv'
import type { DraftRow } from '@/lib/contact-csv-rows'
import { readVcards } from '@/lib/vcard'

/** The head comes first, then `total` rows or cards; a problem stands instead of all. */
export type Piece =
  | ({ kind: 'csv'; total: number } & Omit<CsvTable, 'rows'>)
  | { kind: 'vcard'; total: number }
  | { kind: 'rows'; rows: CsvRow[] }
  | { kind: 'drafts'; drafts: DraftRow[] }
  | { kind: 'problem'; message: string }

const PIECE_ROWS = 250

const UNREADABLE = 'Il file non si può leggere: esportalo di nuovo e riprova.'

export function* piecesOf(name: string, content: Uint8Array): Generator<Piece> {
  try {
    if (/\.(?:vcf|vcard)$/i.test(name)) {
      const drafts = readVcards(content)
      yield { kind: 'vcard', total: drafts.length }
      for (const part of parts(drafts)) yield { kind: 'drafts', drafts: part }
    } else {
      const { rows, ...head } = readCsv(content)
      yield { kind: 'csv', total: rows.length, ...head }
      for (const part of parts(rows)) yield { kind: 'rows', rows: part }
    }
  } catch (error) {
    yield { kind: 'problem', message: error instanceof FileProblem ? error.message : UNREADABLE }
  }
}

function* parts<T>(all: readonly T[]): Generator<T[]> {
  for (let start = 0; start < all.length; start += PIECE_ROWS) yield all.slice(start, start + PIECE_ROWS)
}
