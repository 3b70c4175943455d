/**
 * A file of contacts as people have it (spreadsheets, address books) read into rows of text, or refused with a sentence
 * that says what to do. What a column means is said in contact-csv-columns.ts; here it only tells titles from contents.
 */
import Papa from 'papaparse'

import { guessColumns } from '@/lib/contact-csv-columns'

/** Why a file cannot be read; `message` is Italian and meant for the person. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

/** `row` counts as a spreadsheet does: the first row is 1. */
export type CsvRow = { row: number; cells: string[]; problem: string | null }

export type CsvTable = {
  header: string[]
  rows: CsvRow[]
  encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252' | 'Excel'
  delimiter: string
}

const MAX_BYTES = 50 * 1024 * 1024
export const MAX_ROWS = 50_000
/** A spreadsheet saved badly has an empty line after each row, and more of them at its end. */
const MAX_LINES = 10 * MAX_ROWS
const MAX_COLUMNS = 200

const TOO_LONG = 'Il file ha più di 50.000 righe: dividilo in più file e importali uno alla volta.'

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Refuses what is too large before a byte of it is read. @throws FileProblem */
export function refuseTooLarge({ size }: { size: number }): void {
  if (size > MAX_BYTES)
    throw new FileProblem('Il file supera i 50 MB: dividilo in più file e importali uno alla volta.')
  if (size === 0) throw new FileProblem('Il file è vuoto: controlla di aver scelto quello giusto.')
}

/** The text behind `bytes`: by its mark, else UTF-8 where that fits, else as Windows in Italy writes it. */
export function decodeText(bytes: Uint8Array): { text: string; encoding: CsvTable['encoding'] } {
  const [first, second] = bytes
  if (first === 0x50 && second === 0x4b) {
    throw new FileProblem('Questo è un file Excel o uno ZIP: se è Excel, il suo nome deve finire con .xlsx.')
  }
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16' }
  if (bytes.subarray(0, 4096).includes(0)) {
    throw new FileProblem('Questo non è un file di testo: esporta i contatti come CSV o vCard e riprova.')
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' }
  }
}

/**
 * The rows of a CSV file with `;`, `,` or tab between cells; empty rows are left out and keep their number.
 *
 * @throws FileProblem when there is nothing to read, too much of it, or a quotation mark that never ends
 */
export function readCsv(bytes: Uint8Array): CsvTable {
  const { text, encoding } = decodeText(bytes)
  // Excel's own hint, which other programs show as a row.
  const hint = /^sep=([;,\t])\r?\n/i.exec(text)
  const content = hint ? text.slice(hint[0].length) : text
  const delimiter = hint?.[1] ?? delimiterOf(content)
  const { data, errors, meta } = Papa.parse<string[]>(content, { delimiter, preview: MAX_LINES })
  const skipped = hint ? 1 : 0
  refuseSwallowed(data, errors, skipped)
  // What stands behind the cut would be lost silently.
  if (meta.truncated) throw new FileProblem(TOO_LONG)
  const malformed = new Set(errors.filter(({ type }) => type === 'Quotes').map(({ row }) => row))
  const rows = data
    .map((cells, index): CsvRow => {
      const problem = malformed.has(index) ? 'Le virgolette sono fuori posto' : null
      return { row: index + 1 + skipped, cells: cells.map(tidy), problem }
    })
    .filter(({ cells }) => cells.some(Boolean))
  return { ...table(rows), encoding, delimiter }
}

/** The sign that the first row has most of outside of quotation marks; Papa's own guess needs more rows than that. */
function delimiterOf(text: string): string {
  const start = /[^\r\n]+/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const count = (sign: string) => start.split(sign).length
  return [';', ',', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** A quotation mark without its end takes the lines below it into one cell: they would be lost silently. */
function refuseSwallowed(data: string[][], errors: Papa.ParseError[], skipped: number): void {
  const quotes = errors.filter(({ type }) => type === 'Quotes')
  const isUnended = quotes.some(({ code }) => code === 'MissingQuotes')
  const guilty = quotes.find(({ row }) => isUnended || data[row ?? 0]?.some((cell) => cell.includes('\n')))
  if (!guilty) return
  const row = (guilty.row ?? 0) + 1 + skipped
  throw new FileProblem(
    `Alla riga ${row} si apre una virgoletta (") che non si chiude: correggi quella riga nel file e riprova. Non abbiamo importato niente.`,
  )
}

/** The table of a sheet that the server has read. @throws FileProblem as `readCsv` */
export function sheetTable(rows: CsvRow[]): CsvTable {
  const tidied = rows.map(({ cells, ...row }) => ({ ...row, cells: cells.map(tidy) }))
  return { ...table(tidied), encoding: 'Excel', delimiter: '' }
}

function table(rows: CsvRow[]): Pick<CsvTable, 'header' | 'rows'> {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (width > MAX_COLUMNS) {
    throw new FileProblem(`Il file ha ${width} colonne: togli quelle che non servono, ne leggiamo al massimo 200.`)
  }
  const start = titlesAt(rows)
  const first = rows[start]
  if (!first) throw new FileProblem('Il file non contiene righe: controlla di aver scelto quello giusto.')
  const hasHeader = mayBeTitles(first)
  const body = hasHeader ? rows.slice(start + 1) : rows
  if (body.length === 0) throw new FileProblem('Il file contiene solo i titoli delle colonne, nessun contatto.')
  if (body.length > MAX_ROWS) throw new FileProblem(TOO_LONG)
  const titles = hasHeader ? first.cells : first.cells.map((_cell, index) => `Colonna ${index + 1}`)
  return { header: trimmedEnd(titles), rows: body.map((row) => fitted(row, trimmedEnd(titles).length)) }
}

/** Titles hold no e-mail address and no long number. */
const mayBeTitles = ({ cells }: CsvRow): boolean => !cells.some((cell) => ADDRESS.test(cell) || /\d{6,}/.test(cell))

const known = ({ cells }: CsvRow): number => guessColumns(cells).filter(Boolean).length
/** Above its titles a sheet may have its name, its author and its date. */
const MOST_ABOVE = 15

/** Where the titles are: below rows with fewer cells than they have, which are the title of the sheet. */
function titlesAt(rows: CsvRow[]): number {
  const [first] = rows
  if (!first || known(first) >= 2) return 0
  const filled = ({ cells }: CsvRow) => cells.filter(Boolean).length
  const found = rows.slice(0, MOST_ABOVE).findIndex((row) => mayBeTitles(row) && known(row) >= 2)
  const above = rows.slice(0, Math.max(found, 0))
  return above.every((row) => filled(row) * 2 <= filled(rows[found] ?? row)) ? above.length : 0
}

/** Titles without the empty cells that a spreadsheet leaves at the end. */
function trimmedEnd(titles: string[]): string[] {
  return titles.slice(0, titles.findLastIndex(Boolean) + 1)
}

/** A row with more cells than there are titles is broken at some place that nobody can guess. */
function fitted({ row, cells, problem }: CsvRow, width: number): CsvRow {
  const tooMany = cells.slice(width).some(Boolean) ? 'Ha più celle dei titoli: forse manca una virgoletta' : null
  return { row, cells, problem: problem ?? tooMany }
}

/** Without blanks around it, and without the apostrophe by which a spreadsheet is told that `+39…` is text. */
function tidy(cell: string): string {
  return cell.trim().replace(/^'(?=\s*[=+\-@])/, '')
}
