/** What a file says of one contact, checked and brought into the shape that the server's `import_contacts` takes. */
import type { CsvRow } from '@/lib/contact-csv'
import type { ContactField, Mapping } from '@/lib/contact-csv-columns'
import { isItaly } from '@/lib/countries'
import { phoneNumber } from '@/lib/phone-numbers'
import { pecAddress, sdiCode, taxCode, vatNumber } from '@/lib/tax-ids'

/** The texts of a contact before anybody looked at them; a field may have come from several columns. */
export type Draft = Partial<Record<ContactField, string[]>>

export type ImportRow = {
  row: number
  type: 'persona' | 'azienda'
  first_name: string | null
  last_name: string | null
  business_name: string | null
  /** By name: the server finds it among the companies, or adds it. */
  company: string | null
  job_title: string | null
  vat_number: string | null
  tax_code: string | null
  sdi_code: string | null
  pec: string | null
  emails: string[]
  phones: { value: string; norm: string }[]
  tags: string[]
  address: Record<string, string>
  note: string | null
  website: string | null
}

/** A row that cannot be imported, with everything that is wrong with it in Italian. */
type Rejection = { row: number; problems: string[] }
export type Checked = { rows: ImportRow[]; rejections: Rejection[] }

export const LONGEST_NOTE = 20_000
export const LONGEST_LINE = 200
/** So long rows are checked before the page may react to something else. */
const SLICE_MS = 25

const COMPANY_FORM =
  /\b(?:s\.?\s?r\.?\s?l\.?s?|s\.?p\.?a|s\.?n\.?c|s\.?a\.?s|soc\. coop|societ[aà]|studio|ltd|gmbh|inc)\b/i
const EMAIL = /^[^\s@<>,;"]+@[^\s@<>,;".]+(?:\.[^\s@<>,;".]+)+$/

/** The texts of a CSV row, by the columns that were chosen. */
function draftOf(cells: readonly string[], mapping: Mapping): Draft {
  const draft: Draft = {}
  mapping.forEach((field, column) => {
    const text = cells[column]
    if (field && text) (draft[field] ??= []).push(text)
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
  const checked: Checked = { rows: [], rejections: [] }
  let pauseAt = performance.now() + SLICE_MS
  for (const { row, draft, problem } of drafts) {
    // In order, and never more at once than the page can wait for.
    // oxlint-disable-next-line no-await-in-loop
    const result = problem ? [problem] : await contactRow(row, draft)
    if (Array.isArray(result)) checked.rejections.push({ row, problems: result })
    else checked.rows.push(result)
    if (performance.now() < pauseAt) continue
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve))
    signal?.throwIfAborted()
    pauseAt = performance.now() + SLICE_MS
  }
  return checked
}

/** The row as the server takes it, or what is wrong with it. */
export async function contactRow(row: number, draft: Draft): Promise<ImportRow | string[]> {
  const problems: string[] = []
  const one = (field: ContactField) => oneLine(draft[field])
  const checked = (field: ContactField, check: (typed: string) => string | null, problem: string) => {
    const typed = one(field)
    const value = typed && check(typed)
    if (typed && !value) problems.push(`${problem}: «${brief(typed)}»`)
    return value
  }

  const names = nameOf(draft)
  // The server calls somebody without a name by their address or number.
  if (!names && !draft.email && !draft.phone) problems.push('Manca il nome o la ragione sociale')
  const result: ImportRow = {
    row,
    ...(names ?? { type: 'persona', first_name: null, last_name: null, business_name: null, company: null }),
    job_title: one('job_title'),
    vat_number: checked('vat_number', vatNumberOfSheet, 'Partita IVA non valida'),
    tax_code: checked('tax_code', (typed) => taxCode(typed) ?? vatNumberOfSheet(typed), 'Codice fiscale non valido'),
    sdi_code: checked('sdi_code', officeOrSdiCode, 'Codice destinatario non valido'),
    pec: checked('pec', pecAddress, 'PEC non valida'),
    emails: emailsOf(draft, problems),
    phones: await phonesOf(draft, problems),
    tags: [...new Set(split(draft.tags, /[;,|]|:::/))].filter((tag) => tag !== '* myContacts'),
    address: addressOf(draft),
    note: draft.note?.join('\n').trim() || null,
    website: checked('website', webAddress, 'Sito web non valido'),
  }
  if (result.note && result.note.length > LONGEST_NOTE) problems.push('La nota supera i 20.000 caratteri')
  const { note: _note, ...lines } = draft
  if (Object.values(lines).some((texts) => texts.some((text) => text.length > LONGEST_LINE))) {
    problems.push(`Un campo supera i ${LONGEST_LINE} caratteri`)
  }
  return problems.length > 0 ? problems : result
}

type Names = Pick<ImportRow, 'type' | 'first_name' | 'last_name' | 'business_name' | 'company'>

/** «De Luca Anna Maria»: a family's particle belongs to the name behind it. */
const FAMILY_FIRST = /^((?:(?:da|dal|dalla|de|degli|dei|del|dell[aoe]|di|l[aoi]|san|van|von)\s+)*[^\s,]+),?\s+(.+)$/i

/** A name in one cell, by its order. */
function partsOf(whole: string, isFamilyFirst: boolean): Pick<ImportRow, 'first_name' | 'last_name'> {
  if (isFamilyFirst) {
    const [, family = whole, given = null] = FAMILY_FIRST.exec(whole) ?? []
    return { first_name: given, last_name: family }
  }
  const [given = whole, ...family] = whole.split(/\s+/)
  return { first_name: given, last_name: family.join(' ') || null }
}

/** A person where there is a person's name, else a company; null when nobody is named. */
function nameOf(draft: Draft): Names | null {
  const firm = oneLine(draft.business_name) ?? oneLine(draft.company)
  const familyFirst = oneLine(draft.family_first)
  const whole = familyFirst ?? oneLine(draft.full_name)
  const first = oneLine(draft.first_name)
  const last = oneLine(draft.last_name)
  if (first || last) {
    return { type: 'persona', first_name: first, last_name: last, business_name: null, company: firm }
  }
  if (whole && whole !== firm && !COMPANY_FORM.test(whole)) {
    return { type: 'persona', ...partsOf(whole, familyFirst !== null), business_name: null, company: firm }
  }
  const name = firm ?? whole
  return name ? { type: 'azienda', first_name: null, last_name: null, business_name: name, company: null } : null
}

function emailsOf(draft: Draft, problems: string[]): string[] {
  const emails = split(draft.email, /[;,\s]+|:::/)
  for (const email of emails) if (!EMAIL.test(email)) problems.push(`E-mail non valida: «${brief(email)}»`)
  return distinct(emails, (email) => email.toLowerCase())
}

async function phonesOf(draft: Draft, problems: string[]): Promise<ImportRow['phones']> {
  // A slash stands between two numbers, and in old habits behind the prefix: «06/1234567».
  const typed = split(draft.phone, /[;,\n]|:::/).flatMap((text) => {
    const halves = split([text], /\//)
    return halves.every((half) => half.replaceAll(/\D/g, '').length >= 6) ? halves : [text]
  })
  const read = await Promise.all(typed.map(async (value) => ({ value, norm: await phoneNumber(value) })))
  const phones: ImportRow['phones'] = []
  for (const { value, norm } of read) {
    if (norm) phones.push({ value, norm })
    else if (/\de\+\d/i.test(value)) problems.push(`Telefono arrotondato da Excel: «${brief(value)}»`)
    else problems.push(`Telefono non valido: «${brief(value)}»`)
  }
  return distinct(phones, ({ norm }) => norm)
}

function addressOf(draft: Draft): Record<string, string> {
  const code = oneLine(draft.postal_code)
  const country = oneLine(draft.country)
  const fields = {
    street: oneLine(draft.street),
    // A spreadsheet takes «00185» for a number and drops its zeros; abroad four digits may be all there are.
    postal_code: code && isItaly(country ?? '') && /^\d{3,4}$/.test(code) ? code.padStart(5, '0') : code,
    city: oneLine(draft.city),
    province: oneLine(draft.province)?.replace(/^\((.+)\)$/, '$1'),
    country,
  }
  return Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value ? [[key, value]] : [])))
}

/** A partita IVA, also one whose first zeros a spreadsheet dropped: its check digit must still fit. */
function vatNumberOfSheet(typed: string): string | null {
  return vatNumber(/^\d{8,10}$/.test(typed) ? typed.padStart(11, '0') : typed)
}

/** Public offices have six characters. */
function officeOrSdiCode(typed: string): string | null {
  return sdiCode(typed) ?? (/^[a-z0-9]{6}$/i.test(typed) ? typed.toUpperCase() : null)
}

/** An address that can be followed: «www.rossi.it» is one without saying so. */
function webAddress(typed: string): string | null {
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`
  return /^https?:\/\/[^\s"'<>\\]+\.[^\s"'<>\\]+$/i.test(url) ? url : null
}

/** The first text, whatever breaks and signs of control a cell may hold. */
function oneLine(texts: string[] | undefined): string | null {
  return texts?.[0]?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() || null
}

function split(texts: string[] | undefined, separator: RegExp): string[] {
  return (texts ?? []).flatMap((text) => text.split(separator)).flatMap((part) => part.trim() || [])
}

function distinct<T>(values: T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()]
}

const brief = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text)

const CHUNK_CHARACTERS = 300_000

/** At most `count` rows from `start`, at least one, and no more than one request carries (the server takes 1 MiB). */
export function chunkAt(rows: readonly ImportRow[], start: number, count: number): ImportRow[] {
  const chunk = rows.slice(start, start + count)
  let size = 0
  const end = chunk.findIndex((row) => (size += JSON.stringify(row).length) > CHUNK_CHARACTERS)
  return end === -1 ? chunk : chunk.slice(0, Math.max(1, end))
}
