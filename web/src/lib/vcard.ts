/**
 * vCard 2.1, 3.0 and 4.0 (versit 2.1, RFC 2426, RFC 6350): address books in and out. Of a card only what a contact of ours
 * holds is read; pictures, sounds and keys are passed over without being decoded.
 */
import type { Draft } from '@/lib/contact-cells'
import { decodeText, FileProblem, MAX_ROWS } from '@/lib/contact-csv'
import type { ContactField } from '@/lib/contact-csv-columns'
import type { DraftRow } from '@/lib/contact-csv-rows'

type Property = { name: string; params: string; value: string }

const encoder = new TextEncoder()

/** A line of text is far below; what is longer is a picture or a bomb. */
const LONGEST_VALUE = 64_000
const MOST_PROPERTIES = 200

/**
 * The cards of a file in order, the first is row 1.
 *
 * @throws FileProblem when it holds none, or too many
 */
export function readVcards(bytes: Uint8Array): DraftRow[] {
  const lines = unfolded(bytes)
  const cards: DraftRow[] = []
  let properties: Property[] | null = null
  for (const line of lines) {
    const property = line.length > LONGEST_VALUE ? null : parsed(line)
    if (property?.name === 'BEGIN' && /^vcard$/i.test(property.value)) properties = []
    else if (property?.name === 'END' && properties) {
      const row = cards.length + 1
      if (row > MAX_ROWS) throw new FileProblem('Il file ha più di 50.000 contatti: dividilo in più file.')
      cards.push({ row, draft: draftOf(properties), problem: null })
      properties = null
    } else if (property && properties && properties.length < MOST_PROPERTIES) {
      properties.push(property)
    }
  }
  if (properties) throw new FileProblem('Il file è interrotto a metà di un contatto: esportalo di nuovo e riprova.')
  if (cards.length === 0) throw new FileProblem('Il file non contiene contatti in formato vCard.')
  return cards
}

/** The lines of a file, put together where one goes on: behind a blank, or in 2.1 behind the `=` of quoted-printable. */
function unfolded(bytes: Uint8Array): string[] {
  const lines: string[] = []
  let isOld = false
  for (const line of decodeText(bytes).text.split(/\r?\n|\r/)) {
    const last = lines.length - 1
    const former = lines[last] ?? ''
    if (/^VERSION:/i.test(line)) isOld = line.slice(8).startsWith('2')
    if (former.endsWith('=') && QUOTED.test(former.slice(0, LONGEST_PARAMS))) lines[last] = former.slice(0, -1) + line
    // The blank belongs to the text in 2.1, and only marks the fold since 3.0.
    else if (/^[ \t]/.test(line) && lines.length > 0) lines[last] = former + (isOld ? ' ' : '') + line.slice(1)
    else lines.push(line)
  }
  return lines
}

const LONGEST_PARAMS = 300
/** In 2.1 the encoding may stand without its name: `NOTE;QUOTED-PRINTABLE:…`. */
const QUOTED = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE\b/i

/** `=C3=A8` as «è», in the character set that the property names. */
function unquoted(value: string, params: string): string {
  const bytes: number[] = []
  for (const [token] of value.matchAll(/=[0-9A-F]{2}|[^]/giu)) {
    if (/^=[0-9A-F]{2}$/i.test(token)) bytes.push(parseInt(token.slice(1), 16))
    else bytes.push(...encoder.encode(token))
  }
  const name = /CHARSET="?([\w-]+)/i.exec(params)?.[1] ?? 'utf-8'
  const content = Uint8Array.from(bytes)
  try {
    return new TextDecoder(name, { fatal: true }).decode(content)
  } catch {
    // Old telephones say nothing of their set, or something that browsers do not know.
    return new TextDecoder('windows-1252').decode(content)
  }
}

/** `item1.TEL;TYPE=CELL:+39…` as name, parameters and value; null for what is none, or a picture. */
function parsed(line: string): Property | null {
  const match = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:[^":;]|"[^"]*")*)*):(.*)$/s.exec(line)
  if (!match) return null
  const [, name = '', params = '', value = ''] = match
  if (/(?:ENCODING=B|;BASE64)(?:ASE64)?\b/i.test(params)) return { name: name.toUpperCase(), params, value: '' }
  const isQuoted = /QUOTED-PRINTABLE/i.test(params)
  return { name: name.toUpperCase(), params, value: isQuoted ? unquoted(value, params) : value }
}

const fieldOf: Partial<Record<string, ContactField>> = {
  EMAIL: 'email',
  TEL: 'phone',
  TITLE: 'job_title',
  URL: 'website',
  NOTE: 'note',
  'X-PIVA': 'vat_number',
  'X-CF': 'tax_code',
  'X-SDI': 'sdi_code',
  'X-PEC': 'pec',
}

function draftOf(properties: Property[]): Draft {
  const draft: Draft = {}
  const add = (field: ContactField, text: string | undefined) => {
    if (text?.trim()) (draft[field] ??= []).push(text.trim())
  }
  let whole = ''
  for (const { name, value } of properties) {
    const field = fieldOf[name]
    // Version 4 writes telephones as addresses: «tel:+39-06-123456».
    if (field) add(field, unescaped(value).replace(/^(?:tel|mailto):/i, ''))
    else if (name === 'FN') whole ||= unescaped(value)
    else if (name === 'CATEGORIES') for (const tag of parts(value, ',')) add('tags', tag)
    else if (name === 'ORG') add('company', parts(value, ';')[0])
    else if (name === 'N') {
      const [family, given, middle] = parts(value, ';')
      add('last_name', family)
      add('first_name', [given, middle].filter(Boolean).join(' '))
    } else if (name === 'ADR' && !draft.street && !draft.city) {
      const [, , street, city, province, code, country] = parts(value, ';')
      add('street', street)
      add('city', city)
      add('province', province)
      add('postal_code', code)
      add('country', country)
    }
  }
  // Programs repeat a company's name as that of a person.
  if (!draft.first_name && !draft.last_name) add('full_name', whole)
  return draft
}

/** The parts between separators that are not escaped. */
function parts(value: string, separator: ';' | ','): string[] {
  const found = ['']
  for (const token of value.match(/\\.|[^]/gs) ?? []) {
    if (token === separator) found.push('')
    else found[found.length - 1] += token
  }
  return found.map(unescaped)
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/gs, (_match, character: string) => (/n/i.test(character) ? '\n' : character))
}

/** What a card is written of. */
export type CardContact = {
  type: 'persona' | 'azienda'
  name: string
  first_name: string | null
  last_name: string | null
  company: string | null
  job_title: string | null
  vat_number: string | null
  tax_code: string | null
  sdi_code: string | null
  pec: string | null
  website: string | null
  note: string | null
  emails: string[]
  phones: string[]
  tags: string[]
  address: Partial<Record<'street' | 'postal_code' | 'city' | 'province' | 'country', string>> | null
}

/** `contacts` as vCard 4.0, which telephones and mail programs read; Italian tax data as X- properties. */
export function vcardsOf(contacts: readonly CardContact[]): string {
  return contacts.map(cardOf).join('')
}

function cardOf(contact: CardContact): string {
  const isCompany = contact.type === 'azienda'
  const { street, city, province, postal_code, country } = contact.address ?? {}
  const lines: [string, string | null | undefined][] = [
    ['FN', escaped(contact.name)],
    ['KIND', isCompany ? 'org' : 'individual'],
    ['N', isCompany ? null : `${escaped(contact.last_name)};${escaped(contact.first_name)};;;`],
    ['ORG', escaped(isCompany ? contact.name : contact.company)],
    ['TITLE', escaped(contact.job_title)],
    ...contact.emails.map((email): [string, string] => ['EMAIL', escaped(email)]),
    ...contact.phones.map((phone): [string, string] => ['TEL', escaped(phone)]),
    ['ADR', contact.address && ['', '', street, city, province, postal_code, country].map(escaped).join(';')],
    ['URL', escaped(contact.website)],
    ['CATEGORIES', contact.tags.map(escaped).join(',')],
    ['X-PIVA', contact.vat_number],
    ['X-CF', contact.tax_code],
    ['X-SDI', contact.sdi_code],
    ['X-PEC', escaped(contact.pec)],
    ['NOTE', escaped(contact.note)],
  ]
  const written = lines.flatMap(([name, value]) => (value ? [folded(`${name}:${value}`)] : []))
  return ['BEGIN:VCARD', 'VERSION:4.0', ...written, 'END:VCARD', ''].join('\r\n')
}

function escaped(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r\n|\r|\n/g, String.raw`\n`)
}

const MOST_BYTES = 75

/** A line of at most 75 bytes, and its rest behind a blank; never a break inside a character. */
function folded(line: string): string {
  let result = ''
  let length = 0
  for (const character of line) {
    const bytes = encoder.encode(character).length
    if (length + bytes > MOST_BYTES) {
      result += '\r\n '
      length = 1
    }
    result += character
    length += bytes
  }
  return result
}
