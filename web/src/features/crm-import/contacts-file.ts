/** A chosen file as the wizard works on it: CSV with its columns, or vCard; and its rejected rows as a file again. */
import type { Sheet } from '@/data/sheets'
import type { Piece } from '@/features/crm-import/pieces'
import { spoken } from '@/lib/contact-cells'
import { type CsvRow, type CsvTable, FileProblem } from '@/lib/contact-csv'
import { type ContactField, guessColumns, type Mapping } from '@/lib/contact-csv-columns'
import { type Checked, type DraftRow, draftsOf } from '@/lib/contact-csv-rows'
import { csvOf } from '@/lib/csv'
import { extensionOf } from '@/lib/object-names'

type Common = { id: string; name: string; bytes: number; digest: string }
export type ContactsFile = Common &
  (
    | { kind: 'csv'; table: CsvTable; guess: Mapping }
    | { kind: 'xlsx'; table: CsvTable; guess: Mapping; source: File; names: string[]; index: number }
    | { kind: 'vcard'; drafts: DraftRow[] }
  )

/** A sheet of an Excel file; another sheet of it is another file to an import that goes on. */
export function sheetFile(source: File, digest: string, { names, index, table }: Sheet): ContactsFile {
  const { name, size: bytes } = source
  const common = { id: crypto.randomUUID(), name, bytes, digest: `${digest} ${index}` }
  return { ...common, kind: 'xlsx', source, names, index, table, guess: guessColumns(table.header) }
}

type Gathered = { share: number; /** Null until the last piece. */ whole: ContactsFile | null }

/** Puts a file together from its pieces. @throws FileProblem when a piece says so */
export function gathering({ name, size }: Pick<File, 'name' | 'size'>, digest: string): (piece: Piece) => Gathered {
  const common: Common = { id: crypto.randomUUID(), name, bytes: size, digest }
  const rows: CsvRow[] = []
  const drafts: DraftRow[] = []
  let total = 0
  let file: ContactsFile | null = null
  return (piece) => {
    if (piece.kind === 'problem') throw new FileProblem(piece.message)
    if (piece.kind === 'csv') {
      const { kind, total: _total, ...head } = piece
      file = { ...common, kind, table: { ...head, rows }, guess: guessColumns(head.header) }
    } else if (piece.kind === 'vcard') file = { ...common, kind: 'vcard', drafts }
    else if (piece.kind === 'rows') rows.push(...piece.rows)
    else drafts.push(...piece.drafts)
    if ('total' in piece) ({ total } = piece)
    const count = rows.length + drafts.length
    return { share: count / total, whole: count === total ? file : null }
  }
}

/** Endings of files that hold contacts and nothing else, for the `accept` of a file field. */
export const contactEndings = '.xlsx,.csv,.tsv,.vcf,.vcard,.xls,.xlsm,.xlsb,.ods'

/** Whether a file is one of contacts, by its name. */
export const isContactsFile = ({ name }: { name: string }): boolean =>
  contactEndings.split(',').includes(`.${extensionOf(name)}`)

export function rowsOf(file: ContactsFile, mapping: Mapping): Iterable<DraftRow> {
  return file.kind === 'vcard' ? file.drafts : draftsOf(file.table.rows, mapping)
}

export const fieldLabels: Record<ContactField, string> = {
  first_name: 'Nome',
  last_name: 'Cognome',
  full_name: 'Nome e cognome',
  family_first: 'Cognome e nome',
  business_name: 'Ragione sociale',
  company: 'Azienda in cui lavora',
  job_title: 'Ruolo',
  email: 'Email',
  phone: 'Telefono',
  pec: 'PEC',
  vat_number: 'Partita IVA',
  tax_code: 'Codice fiscale',
  sdi_code: 'Codice SDI',
  sdi_or_pec: 'Codice SDI o PEC',
  street: 'Indirizzo',
  postal_code: 'CAP',
  city: 'Città',
  province: 'Provincia',
  country: 'Paese',
  website: 'Sito',
  tags: 'Tag',
  note: 'Note',
  last_contact: 'Ultimo contatto',
  client_since: 'Cliente dal',
  birthday: 'Data di nascita',
  revenue: 'Fatturato',
  balance: 'Saldo',
}

export type Rejected = { row: number; reason: string }

type RowMessage = { row: number; message: string }

/** Rows that were refused here and by the server, in the order of the file. */
export function rejectedRows({ rejections }: Checked, errors: readonly RowMessage[]): Rejected[] {
  const here = rejections.map(({ row, problems }) => ({ row, reason: problems.join('; ') }))
  const there = errors.map(({ row, message }) => ({ row, reason: message }))
  return [...here, ...there].toSorted((one, other) => one.row - other.row)
}

/** Cells that were left out of rows that came in, here and by the server, as `column: reason`. */
export function leftOutCells({ remarks }: Checked, cells: readonly RowMessage[]): Rejected[] {
  const here = remarks
    .filter(({ isKept }) => !isKept)
    .map(({ row, field, ...remark }) => ({
      row,
      reason: `${fieldLabels[field]}: ${spoken(remark)}`,
    }))
  const there = cells.map(({ row, message }) => ({ row, reason: message }))
  return [...here, ...there].toSorted((one, other) => one.row - other.row)
}

/** The text of a CSV file with the rows that did not come in whole, and why: corrected, it can be imported again. */
export function rejectedCsv(file: ContactsFile, rejected: readonly Rejected[]): string {
  const reasons = new Map<number, string>()
  for (const { row, reason } of rejected) reasons.set(row, [reasons.get(row) ?? [], reason].flat().join('; '))
  const why = ['Riga nel file', 'Motivo']
  if (file.kind !== 'vcard') {
    const { header, rows } = file.table
    return csvOf(
      [...header, ...why],
      rows.flatMap(({ row, cells }) => {
        const reason = reasons.get(row)
        return reason === undefined ? [] : [[...header.map((_title, index) => cells[index] ?? ''), row, reason]]
      }),
    )
  }
  const fields = Object.keys(fieldLabels) as ContactField[]
  return csvOf(
    [...fields.map((field) => fieldLabels[field]), ...why],
    file.drafts.flatMap(({ row, draft }) => {
      const reason = reasons.get(row)
      return reason === undefined ? [] : [[...fields.map((field) => draft[field]?.join(', ') ?? ''), row, reason]]
    }),
  )
}
