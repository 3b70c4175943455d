/** What a file says of one contact, checked and brought into the shape that the server's `import_contacts` takes. */
import {
  addressOf,
  Cells,
  type Draft,
  emailsOf,
  type Line,
  linesOf,
  LONGEST_NOTE,
  type OnRemark,
  type Phone,
  phonesOf,
  type Remark,
  spoken,
  tagsOf,
} from '@/lib/contact-cells'
import type { CsvRow } from '@/lib/contact-csv'
import type { ContactField, Mapping } from '@/lib/contact-csv-columns'
import { nameOf, type Names, NOBODY } from '@/lib/contact-names'
import * as values from '@/lib/contact-values'
import { recipientCode } from '@/lib/tax-ids'
import { isSameName } from '@/lib/name-likeness'
import { hasKnownOffice, pecAddress, taxCode } from '@/lib/tax-ids'

/** What a company and a person may both have. */
type Common = {
  business_name: string | null
  vat_number: string | null
  tax_code: string | null
  sdi_code: string | null
  pec: string | null
  emails: string[]
  phones: Phone[]
  tags: string[]
  address: Record<string, string>
  note: string | null
  website: string | null
}

export type ImportRow = Common &
  Names & {
    row: number
    /** The company of the same row, with what belongs to it. */
    firm?: Common
    job_title: string | null
    /** The day of the last contact. */
    met_on: string | null
  }

/** A row that cannot be imported, with everything that is wrong with it in Italian. */
type Rejection = { row: number; problems: string[] }
export type Checked = { rows: ImportRow[]; rejections: Rejection[]; remarks: Remark[] }

/** So long rows are checked before the page may react to something else. */
const SLICE_MS = 25

/** The texts of a CSV row, by the columns that were chosen. */
function draftOf(cells: readonly string[], mapping: Mapping): Draft {
  const draft: Draft = {}
  mapping.forEach((field, column) => {
    const text = cells[column]
    if (!field || !text) return
    // One column for both: a mailbox is told by its sign.
    const exact = field === 'sdi_or_pec' ? (text.includes('@') ? 'pec' : 'sdi_code') : field
    const texts = (draft[exact] ??= [])
    texts.push(text)
  })
  return draft
}

export type DraftRow = { row: number; draft: Draft; problem: string | null }

/** The rows of a CSV file by the columns that were chosen, made as they are asked for. */
export function* draftsOf(rows: readonly CsvRow[], mapping: Mapping): Generator<DraftRow> {
  for (const { row, cells, problem } of rows) yield { row, problem, draft: draftOf(cells, mapping) }
}

/** Checks every draft, in order; lets the page breathe in between, and stops when `signal` says so. */
export async function checkDrafts(drafts: Iterable<DraftRow>, signal?: AbortSignal): Promise<Checked> {
  const checked: Checked = { rows: [], rejections: [], remarks: [] }
  const namesakes = new Map<string, { row: number; name: string }>()
  let pauseAt = performance.now() + SLICE_MS
  for (const { row, draft, problem } of drafts) {
    // In order, and never more at once than the page can wait for.
    // oxlint-disable-next-line no-await-in-loop
    const { contact, remarks } = problem ? { contact: null, remarks: [] } : await contactRow(row, draft)
    if (contact) {
      checked.rows.push(contact)
      checked.remarks.push(...remarks, ...otherNames(contact, namesakes))
    } else checked.rejections.push({ row, problems: [problem ?? NO_NAME, ...remarks.map(spoken)] })
    if (performance.now() < pauseAt) continue
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve))
    signal?.throwIfAborted()
    pauseAt = performance.now() + SLICE_MS
  }
  return checked
}

const NO_NAME = 'Manca il nome o la ragione sociale'

/** A name truly other than that of an earlier row with the same number: the file may be wrong, so it is shown. */
function otherNames(contact: ImportRow, namesakes: Map<string, { row: number; name: string }>): Remark[] {
  const { row, firm } = contact
  const whole = contact.business_name ?? [contact.first_name, contact.last_name].filter(Boolean).join(' ')
  const keys: [ContactField, string | null, string][] = [
    ['tax_code', contact.tax_code, whole],
    ['vat_number', contact.vat_number, whole],
    ['vat_number', firm?.vat_number ?? null, firm?.business_name ?? ''],
  ]
  return keys.flatMap(([field, number, name]): Remark[] => {
    if (!number || !name) return []
    const earlier = namesakes.get(`${field} ${number}`)
    if (!earlier) namesakes.set(`${field} ${number}`, { row, name })
    if (!earlier || isSameName(name, earlier.name)) return []
    const what = field === 'vat_number' ? 'la stessa partita IVA' : 'lo stesso codice fiscale'
    return [{ row, field, value: name, why: `Ha ${what} di «${earlier.name}» (riga ${earlier.row})`, isKept: true }]
  })
}

/** The fields of a row that has a person and a company which belong to the company. */
const OF_THE_COMPANY: ReadonlySet<ContactField> = new Set([
  ...(['business_name', 'vat_number', 'sdi_code', 'pec', 'website', 'street', 'postal_code', 'city'] as const),
  ...(['province', 'country', 'client_since', 'revenue', 'balance'] as const),
])

/** The row as the server takes it, null when it names nobody; and the cells that are left out of it. */
export async function contactRow(row: number, draft: Draft): Promise<{ contact: ImportRow | null; remarks: Remark[] }> {
  const remarks: Remark[] = []
  const remark: OnRemark = (field, value, why, isKept = false) => {
    remarks.push({ row, field, value, why, isKept })
  }
  const cells = new Cells(draft, remark)
  const names = nameOf(cells)
  const fields: Common = {
    business_name: null,
    vat_number: cells.checked('vat_number', values.vatNumberOfSheet, 'Partita IVA non valida'),
    tax_code: cells.checked(
      'tax_code',
      (typed) => taxCode(typed) ?? values.vatNumberOfSheet(typed),
      'Codice fiscale non valido',
    ),
    sdi_code: cells.checked('sdi_code', recipientCode, 'Codice destinatario non valido'),
    pec: cells.checked('pec', pecAddress, 'PEC non valida'),
    emails: emailsOf(draft, remark),
    phones: await phonesOf(draft, remark),
    tags: tagsOf(draft, remark),
    address: addressOf(cells),
    note: null,
    website: cells.checked('website', values.webAddress, 'Sito web non valido'),
  }
  const { vat_number } = fields
  if (vat_number && !hasKnownOffice(vat_number)) {
    remark('vat_number', vat_number, 'Partita IVA con un ufficio che non conosciamo, controllala', true)
  }
  const job_title = cells.one('job_title')
  const met_on = cells.day('last_contact', 'Data dell’ultimo contatto non valida')
  const lines = linesOf(cells)
  const notes = (isFirms: (field: ContactField) => boolean) => noteOf(draft, lines, remarks, isFirms)
  // The server calls somebody without a name by their address or number.
  const isNamed = names !== null || fields.emails.length > 0 || fields.phones.length > 0
  if (!isNamed) return { contact: null, remarks }
  const { business_name = null, ...named } = names ?? NOBODY
  const common = { row, ...named, job_title, met_on }
  if (named.type === 'azienda' || !business_name) {
    return { contact: { ...common, ...fields, business_name, note: notes(() => true) }, remarks }
  }
  const { firm, person } = shared(fields, business_name)
  firm.note = noteOf({}, lines, remarks, (field) => OF_THE_COMPANY.has(field))
  person.note = notes((field) => !OF_THE_COMPANY.has(field))
  return { contact: { ...common, ...person, firm }, remarks }
}

/** No landline and no free number of Italy. */
const isOwnPhone = ({ norm }: Phone): boolean => !/^\+39[08]/.test(norm)

/** What of a row belongs to the company, and what to its person: mobiles and own mailboxes are the person's. */
function shared(fields: Common, name: string): { firm: Common; person: Common } {
  const isOwnCode = /^[A-Z]/.test(fields.tax_code ?? '')
  return {
    firm: {
      ...fields,
      business_name: name,
      tax_code: isOwnCode ? null : fields.tax_code,
      emails: fields.emails.filter(values.isSharedMailbox),
      phones: fields.phones.filter((phone) => !isOwnPhone(phone)),
    },
    person: {
      ...fields,
      vat_number: null,
      tax_code: isOwnCode ? fields.tax_code : null,
      sdi_code: null,
      pec: null,
      website: null,
      address: {},
      emails: fields.emails.filter((email) => !values.isSharedMailbox(email)),
      phones: fields.phones.filter(isOwnPhone),
    },
  }
}

/** The note: what the file says, what has no column, and the cells that could not be read, so that nothing is lost. */
function noteOf(
  { note = [] }: Draft,
  lines: Line[],
  remarks: Remark[],
  isWanted: (field: ContactField) => boolean,
): string | null {
  const wrong = remarks.filter(({ field, isKept }) => !isKept && field !== 'note' && isWanted(field))
  const texts = [
    ...note,
    ...lines.flatMap(({ field, text }) => (isWanted(field) ? [text] : [])),
    ...wrong.map(({ why, value }) => `${why}: ${value}`),
  ]
  return texts.join('\n').trim().slice(0, LONGEST_NOTE) || null
}

const CHUNK_CHARACTERS = 300_000

/** At most `count` rows from `start`, at least one, and no more than one request carries (the server takes 1 MiB). */
export function chunkAt(rows: readonly ImportRow[], start: number, count: number): ImportRow[] {
  const chunk = rows.slice(start, start + count)
  let size = 0
  const end = chunk.findIndex((row) => (size += JSON.stringify(row).length) > CHUNK_CHARACTERS)
  return end === -1 ? chunk : chunk.slice(0, Math.max(1, end))
}
