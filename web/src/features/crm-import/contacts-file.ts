/** A chosen file as the wizard works on it: CSV with its columns, or vCard; and its rejected rows as a file again. */
import { type CsvTable, FileProblem, readCsv, refuseTooLarge } from '@/lib/contact-csv'
import { type ContactField, guessColumns, type Mapping } from '@/lib/contact-csv-columns'
import { type Checked, type DraftRow, draftsOf } from '@/lib/contact-csv-rows'
import { csvOf } from '@/lib/csv'
import { readVcards } from '@/lib/vcard'

type Common = { id: string; name: string; bytes: number }
export type ContactsFile = Common &
  ({ kind: 'csv'; table: CsvTable; guess: Mapping } | { kind: 'vcard'; drafts: DraftRow[] })

/** @throws FileProblem with a sentence for the person */
export async function readContactsFile(file: File): Promise<ContactsFile> {
  refuseTooLarge(file)
  const bytes = await file.arrayBuffer().catch(() => {
    throw new FileProblem('Il file non si può leggere, forse è stato spostato: sceglilo di nuovo.')
  })
  const content = new Uint8Array(bytes)
  const common: Common = { id: crypto.randomUUID(), name: file.name, bytes: file.size }
  if (/\.(?:vcf|vcard)$/i.test(file.name)) return { ...common, kind: 'vcard', drafts: readVcards(content) }
  const table = readCsv(content)
  return { ...common, kind: 'csv', table, guess: guessColumns(table.header) }
}

export function rowsOf(file: ContactsFile, mapping: Mapping): DraftRow[] {
  return file.kind === 'csv' ? draftsOf(file.table.rows, mapping) : file.drafts
}

export const fieldLabels: Record<ContactField, string> = {
  first_name: 'Nome',
  last_name: 'Cognome',
  full_name: 'Nome e cognome',
  business_name: 'Ragione sociale',
  company: 'Azienda in cui lavora',
  job_title: 'Ruolo',
  email: 'E-mail',
  phone: 'Telefono',
  pec: 'PEC',
  vat_number: 'Partita IVA',
  tax_code: 'Codice fiscale',
  sdi_code: 'Codice SDI',
  street: 'Indirizzo',
  postal_code: 'CAP',
  city: 'Città',
  province: 'Provincia',
  country: 'Paese',
  website: 'Sito',
  tags: 'Tag',
  note: 'Note',
}

export type Rejected = { row: number; reason: string }

/** Rows that were refused here and by the server, in the order of the file. */
export function rejectedRows({ rejections }: Checked, errors: readonly { row: number; message: string }[]): Rejected[] {
  const here = rejections.map(({ row, problems }) => ({ row, reason: problems.join('; ') }))
  const there = errors.map(({ row, message }) => ({ row, reason: message }))
  return [...here, ...there].toSorted((one, other) => one.row - other.row)
}

/** The text of a CSV file with the rejected rows as they came, and why: corrected, it can be imported again. */
export function rejectedCsv(file: ContactsFile, rejected: readonly Rejected[]): string {
  const reasons = new Map(rejected.map(({ row, reason }) => [row, reason]))
  const why = ['Riga nel file', 'Motivo']
  if (file.kind === 'csv') {
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
