/** Who a row of a file names: a person, a company, or both. */
import type { Cells } from '@/lib/contact-cells'
import { fold } from '@/lib/fold'
import { isSameName } from '@/lib/name-likeness'
import { taxCode } from '@/lib/tax-ids'

const COMPANY_FORM =
  /\b(?:s\.?\s?r\.?\s?l\.?s?|s\.?p\.?a|s\.?n\.?c|s\.?a\.?s|soc\. coop|societ[aà]|studio|ltd|gmbh|inc)\b/i

export const NOBODY = {
  type: 'persona',
  first_name: null,
  last_name: null,
  business_name: null,
  company: null,
} as const

export type Names = {
  type: 'persona' | 'azienda'
  first_name: string | null
  last_name: string | null
  business_name: string | null
  /** Where the person works, by name alone. */
  company: string | null
}

/** «De Luca Anna Maria»: a family's particle belongs to the name behind it. */
const FAMILY_FIRST = /^((?:(?:da|dal|dalla|de|degli|dei|del|dell[aoe]|di|l[aoi]|san|van|von)\s+)*[^\s,]+),?\s+(.+)$/i

/** A name in one cell, by its order. */
function partsOf(whole: string, isFamilyFirst: boolean): Pick<Names, 'first_name' | 'last_name'> {
  if (isFamilyFirst) {
    const [, family = whole, given = null] = FAMILY_FIRST.exec(whole) ?? []
    return { first_name: given, last_name: family }
  }
  const [given = whole, ...family] = whole.split(/\s+/)
  return { first_name: given, last_name: family.join(' ') || null }
}

/**
 * Invoicing programs have one column for the names of companies and people. With the tax code of a person, and no partita
 * IVA, it is a person, whose family name begins the code.
 */
function personOf(name: string, cells: Cells): Names | null {
  const code = taxCode(cells.one('tax_code') ?? '')
  const words = name.split(/\s+/)
  if (!code || cells.one('vat_number') || words.length < 2 || COMPANY_FORM.test(name)) return null
  const isFamilyFirst = codeOfFamily(words[0] ?? '') === code.slice(0, 3)
  return { ...NOBODY, ...partsOf(name, isFamilyFirst) }
}

/** The three letters by which a tax code names a family: consonants, then vowels, then X. */
function codeOfFamily(name: string): string {
  const letters = fold(name)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
  return `${letters.replaceAll(/[AEIOU]/g, '')}${letters.replaceAll(/[^AEIOU]/g, '')}XXX`.slice(0, 3)
}

/** A person where there is a person's name, with the company of a «Ragione sociale»; else a company; null for nobody. */
export function nameOf(cells: Cells): Names | null {
  const firm = cells.one('business_name')
  const employer = firm ? null : cells.one('company')
  const familyFirst = cells.one('family_first')
  const whole = familyFirst ?? cells.one('full_name')
  const first = cells.one('first_name')
  const last = cells.one('last_name')
  const isPerson = whole && whole !== (firm ?? employer) && !COMPANY_FORM.test(whole)
  const parts =
    first || last ? { first_name: first, last_name: last } : isPerson && partsOf(whole, familyFirst !== null)
  if (!parts) {
    const name = firm ?? employer ?? whole
    return name ? (personOf(name, cells) ?? { ...NOBODY, type: 'azienda', business_name: name }) : null
  }
  // Programs write a sole trader's name as that of the business too.
  const own = [parts.first_name, parts.last_name].filter(Boolean).join(' ')
  return { type: 'persona', ...parts, business_name: firm && isSameName(own, firm) ? null : firm, company: employer }
}
