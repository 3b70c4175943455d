/** What is read out of documents, as Italian text: names of fields, how sure they are, why a document is kept. */
import type { Enums } from '@/data/tables'
import { DataError } from '@/lib/server-errors'
import type { ValueType } from '@/lib/word-places'
import { shortDate } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'
import { formatMoney } from '@/strings/numbers'

const labels: Record<string, string> = {
  supplier: 'Fornitore',
  customer: 'Cliente',
  vat_number: 'P.IVA',
  customer_vat_number: 'P.IVA cliente',
  customer_vat: 'P.IVA del cliente',
  tax_code: 'Codice fiscale',
  type_code: 'Tipo di fattura',
  number: 'Numero',
  issued_on: 'Data',
  currency: 'Valuta',
  net: 'Imponibile',
  vat: 'IVA',
  total: 'Totale',
  due: 'Da pagare',
  withholding: 'Ritenuta',
  stamp: 'Bollo',
  iban: 'IBAN',
  due_on: 'Scadenza',
  paid_on: 'Pagato il',
  valid_until: 'Valido fino al',
  expires_on: 'Scade il',
  period: 'Periodo',
  subject: 'Oggetto',
  party: 'Controparte',
  outcome: 'Esito',
}

/** What a document of money usually says: offered where it was not found. */
export const usualFields = [
  'supplier',
  'vat_number',
  'customer',
  'customer_vat_number',
  'type_code',
  'number',
  'issued_on',
  'currency',
  'net',
  'vat',
  'total',
  'withholding',
  'due',
  'due_on',
  'iban',
]

const choices: Record<string, string[]> = {
  type_code: ['TD04', 'TD01', 'TD05', 'TD06'],
  currency: ['USD', 'GBP', 'CHF', 'EUR'],
}

/** What a field may say, its value included: what is not there says TD01 and EUR. Empty where anything may be typed. */
export function fieldChoices(key: string, value: string | null): string[] {
  const usual = choices[key] ?? []
  return usual.length === 0 || value === null || usual.includes(value) ? usual : [value, ...usual]
}

/** In the order in which people read them; what is not named comes last. */
const order = Object.keys(labels)

export const fieldLabel = (key: string): string => labels[key] ?? key.replaceAll('_', ' ')

const place = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length)

export const byReadingOrder = (a: { key: string }, b: { key: string }): number =>
  place(a.key) - place(b.key) || a.key.localeCompare(b.key)

const MONEY = new Set(['net', 'vat', 'total', 'due', 'withholding', 'stamp'])

/** How a value is written: a day, an amount in cents, or text. */
export function fieldType(key: string): ValueType {
  if (MONEY.has(key)) return 'money'
  return key.endsWith('_on') || key.endsWith('_until') ? 'day' : 'text'
}

/** «1.220,00 €», «20 nov 2026», «Nota di credito», or the text itself. */
export function fieldText(key: string, value: string, currency = 'EUR'): string {
  const type = fieldType(key)
  if (key === 'type_code') return codeWords('documents', value)
  if (type === 'money' && /^-?\d+$/.test(value)) return formatMoney(Number(value), currency)
  if (type === 'day' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return shortDate(value)
  return value
}

export const fieldSources: Record<string, string> = {
  testo: 'dal testo',
  ocr: 'dalla scansione',
  fatturapa: 'dal file XML',
  persona: 'scritto da te',
}

const refusals: Record<string, string> = {
  SC041: 'Una fattura registrata ha sempre numero, data e totale: correggi il valore invece di toglierlo',
  SC043: 'I campi di una fattura elettronica sono quelli del file XML: non si cambiano e non si tolgono',
  '22023': 'Questo valore non è una data o un importo che esiste: correggilo e riprova',
}

/** Why a field was not saved. */
export const fieldRefusal = (failure: unknown): string =>
  (failure instanceof DataError && refusals[failure.code]) || 'Non siamo riusciti a salvare: riprova'

const TEN_YEARS = 'La legge chiede di tenere i documenti fiscali dieci anni.'

export const retentionReasons: Record<Enums<'document_kind'>, string> = {
  fattura: TEN_YEARS,
  ricevuta: TEN_YEARS,
  f24: TEN_YEARS,
  contratto: 'Dieci anni: dopo, chi lo ha firmato non può più chiedere nulla.',
  preventivo: 'Lo hai scelto tu.',
  durc: 'Lo hai scelto tu.',
  visura: 'Lo hai scelto tu.',
  documento_identita: 'Lo hai scelto tu.',
  altro: 'Lo hai scelto tu.',
}
