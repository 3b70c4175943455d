/**
 * Italian tax identifiers as people type them: each function answers the number as invoices carry it, or null.
 *
 * The server checks them again; tests/vectors/tax_ids.json holds the examples that both must agree on.
 */

/** Partita IVA: 11 digits, seven of the person, three of the office, one check digit by Luhn. */
export function vatNumber(typed: string): string | null {
  const digits = compact(typed).replace(/^IT/, '')
  if (!/^(?!0{7})[0-9]{11}$/.test(digits)) return null
  const sum = [...digits].reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0 ? digits : null
}

/** Whether digits 8 to 10 of a partita IVA are an office that we know: the list grows, so this is only worth a warning. */
export function hasKnownOffice(vat: string): boolean {
  const office = Number(vat.slice(7, 10))
  return (office >= 1 && office <= 100) || [120, 121, 888, 999].includes(office)
}

const TAX_CODE = /^[A-Z]{6}[0-9L-NP-V]{2}[ABCDEHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]$/
/** What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23/12/1976). */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const MONTHS = 'ABCDEHLMPRST'
/** Letters that stand for digits when two people would have the same code. */
const SUBSTITUTES = 'LMNPQRSTUV'

/** Codice fiscale of a person: 16 characters, the date of birth exists and the last letter fits. */
export function taxCode(typed: string): string | null {
  const code = compact(typed)
  if (!TAX_CODE.test(code) || !bornOnSomeDay(code)) return null
  let sum = 0
  for (let place = 0; place < 15; place += 1) {
    const character = code.charAt(place)
    const value = parseInt(character, 36) - (character >= 'A' ? 10 : 0)
    sum += place % 2 === 0 ? (ODD[value] ?? 0) : value
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15] ? code : null
}

function bornOnSomeDay(code: string): boolean {
  const digits = (from: number) =>
    Number(code.slice(from, from + 2).replaceAll(/[A-Z]/g, (letter) => String(SUBSTITUTES.indexOf(letter))))
  // A woman's day counts from 41. The century is unknown; 2000 is a leap year, so it forgives a 29 February.
  const day = digits(9) % 40
  const month = MONTHS.indexOf(code.charAt(8))
  const year = 2000 + digits(6)
  return digits(9) < 72 && day > 0 && new Date(Date.UTC(year, month, day)).getUTCMonth() === month
}

/** Codice fiscale of anybody: an organisation's has 11 digits, checked like those of a partita IVA. */
export const anyTaxCode = (typed: string): string | null => taxCode(typed) ?? vatNumber(typed)

/** Codice destinatario of the exchange system: seven letters or digits. */
export function sdiCode(typed: string): string | null {
  const code = typed.trim().toUpperCase()
  return /^[A-Z0-9]{7}$/.test(code) ? code : null
}

/** Codice destinatario of anybody: an office of the public administration has six characters. */
export const recipientCode = (typed: string): string | null =>
  sdiCode(typed) ?? (/^[A-Z0-9]{6}$/i.test(typed.trim()) ? typed.trim().toUpperCase() : null)

/** The six digits of an ATECO code as a registration of VAT carries it: «74.12.01». */
export function ateco(typed: string): string | null {
  const [, division, group, category] = /^([0-9]{2})[. ]?([0-9]{2})[. ]?([0-9]{2})$/.exec(typed.trim()) ?? []
  return division && division !== '00' ? `${division}.${group}.${category}` : null
}

/** A certified mailbox: an ordinary address. */
export function pecAddress(typed: string): string | null {
  const address = typed.trim().toLowerCase()
  const domain = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'
  return new RegExp(`^[a-z0-9._%+-]+@(${domain}\\.)+${domain}$`).test(address) && address.length <= 200 ? address : null
}

/** CAP. */
export function postalCode(typed: string): string | null {
  const code = typed.trim()
  return /^[0-9]{5}$/.test(code) ? code : null
}

/** The two letters of a province. */
export function province(typed: string): string | null {
  const letters = typed.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(letters) ? letters : null
}

function compact(typed: string): string {
  return typed.replace(/[\s:-]/g, '').toUpperCase()
}
