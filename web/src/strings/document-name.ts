/** What a document is called. */
import type { Enums } from '@/data/tables'
import { documentKindLabels } from '@/strings/documents'
import { codeWords } from '@/strings/invoice-codes'

/** What the name of a document is made of. */
export type NameParts = {
  filename: string
  /** Whether the owner chose the file name. */
  filename_by_user: boolean
  kind: Enums<'document_kind'>
  state: Enums<'document_state'>
  title: string | null
  supplier_name: string | null
  contact: { name: string | null } | null
  invoices: { type_code: string; number: string; counterparty_name: string | null }[]
  /** The number that was read in it. */
  numbers: { value: string }[]
}

const NUMBERED: ReadonlySet<NameParts['kind']> = new Set(['fattura', 'ricevuta', 'preventivo'])

/** Return kind, number and counterparty («Fattura 13/2026 · Neri S.r.l.»), or else the title or the file name. */
export function documentName(document: NameParts): string {
  const { filename, contact, supplier_name: supplier } = document
  if (document.filename_by_user) return filename
  const paper = document.invoices.length > 0 ? invoiceOf(document) : numberedPaper(document)
  if (!paper) return document.title || filename
  return [paper.name, contact?.name ?? paper.counterparty ?? supplier].filter(Boolean).join(' · ')
}

type Paper = { name: string; counterparty: string | null }

/** A file with several invoices has no number of its own. */
function invoiceOf({ invoices: [invoice, ...others] }: NameParts): Paper | null {
  if (!invoice || others.length > 0) return null
  const type = codeWords('documents', invoice.type_code) || 'Fattura'
  return { name: `${type} ${invoice.number}`, counterparty: invoice.counterparty_name }
}

/** A number that is still to be checked names nothing. */
function numberedPaper({ kind, state, numbers: [number] }: NameParts): Paper | null {
  if (!number || state !== 'pronto' || !NUMBERED.has(kind)) return null
  return { name: `${documentKindLabels[kind]} ${number.value}`, counterparty: null }
}
