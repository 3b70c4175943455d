/** Values as people write them into a file of contacts: days, amounts, tax numbers, addresses. Each is read or null. */
import { isItaly } from '@/lib/countries'
import { vatNumber } from '@/lib/tax-ids'

const MONTHS = ['gen', 'feb', 'mar', 'apr', 'mag', 'giu', 'lug', 'ago', 'set', 'ott', 'nov', 'dic']
const DAY_MS = 86_400_000
/** Excel counts days from here; its error of a leap day in 1900 is before every day that matters. */
const FIRST_DAY = Date.UTC(1899, 11, 30)

/** The day as `YYYY-MM-DD`: ISO, Italian («1/3/26», «1 marzo 2026»), or the number that a spreadsheet keeps. */
export function dayOf(typed: string, today: string): string | null {
  // The time behind it is not kept.
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/[t ,]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?$/, '')
  if (/^\d{5}(?:\.\d+)?$/.test(text))
    return new Date(FIRST_DAY + Math.floor(Number(text)) * DAY_MS).toISOString().slice(0, 10)
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text)
  if (iso) return calendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const italian = /^(\d{1,2})[-/. ]+(\d{1,2}|[a-z]{3,9})\.?[-/. ]+(\d{4}|\d{2})$/.exec(text)
  if (!italian) return null
  const [, day, month = '', year = ''] = italian
  const number = /\d/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3)) + 1
  return calendarDay(year.length === 2 ? fullYear(Number(year), today) : Number(year), number, Number(day))
}

/** Two digits are of this century, unless that year is to come. */
function fullYear(short: number, today: string): number {
  return 2000 + short > Number(today.slice(0, 4)) ? 1900 + short : 2000 + short
}

function calendarDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null
}

/** The amount in euros: «1.234,56», «1,234.56», «€ 1234.5», «1.234»; a sign between groups of three is no decimal one. */
export function amountOf(typed: string): number | null {
  const text = typed.replaceAll(/[\s'€]|eur(?:o)?/gi, '').replace(/,-+$/, '')
  const [, sign = '', digits = ''] = /^([-+]?)([\d.,]+)$/.exec(text) ?? []
  const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/.exec(digits)
  const plain = grouped ? digits.replaceAll(grouped[1] ?? '', '') : digits
  if (!/^\d+(?:[.,]\d+)?$/.test(plain)) return null
  return Number(`${sign}${plain.replace(',', '.')}`)
}

const EMAIL = /^[^\s@<>,;"]+@[^\s@<>,;".]+(?:\.[^\s@<>,;".]+)+$/

export const isEmail = (text: string): boolean => EMAIL.test(text) && text.length <= 200

/** A mailbox of a company that no single person reads. */
export const isSharedMailbox = (email: string): boolean =>
  /^(?:info|amministrazione|amm|contabilita|segreteria|commerciale|vendite|ordini|acquisti|ufficio|office|contatti|contact|posta|mail|fatture|fatturazione|sales|support|assistenza|hello|ciao)\d*@/i.test(
    email,
  )

/** A partita IVA, also one whose first zeros a spreadsheet dropped: its check digit must still fit. */
export function vatNumberOfSheet(typed: string): string | null {
  return vatNumber(/^\d{8,10}$/.test(typed) ? typed.padStart(11, '0') : typed)
}

/** An address that can be followed: «www.rossi.it» is one without saying so. */
export function webAddress(typed: string): string | null {
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`
  return /^https?:\/\/[^\s"'<>\\]+\.[^\s"'<>\\]+$/i.test(url) ? url : null
}

/** A CAP with the zeros that a spreadsheet dropped; abroad whatever it is. */
export function postalCodeOf(typed: string, country: string | null): string | null {
  if (!isItaly(country ?? '')) return typed
  const code = typed.replace(/^(?:IT?|CAP)[\s.-]*/i, '').replace(/\.0$/, '')
  return /^\d{3,5}$/.test(code) ? code.padStart(5, '0') : null
}
