/**
 * IBANs as people type them. private.is_iban and functions/_shared/fatturapa/identities.py apply the same rule;
 * tests/vectors/tax_ids.json holds the examples that all must agree on.
 */

/** Lengths that are known here; others are only checked by their remainder. */
const lengths: Record<string, number> = {
  IT: 27,
  SM: 27,
  DE: 22,
  FR: 27,
  ES: 24,
  AT: 20,
  CH: 21,
  BE: 16,
  NL: 18,
  LT: 20,
  GB: 22,
}

/** The account as invoices carry it, upper case and without blanks; null when it is none (ISO 13616). */
export function iban(typed: string): string | null {
  const code = typed.replaceAll(/\s/g, '').toUpperCase()
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(code)) return null
  if (code.length !== (lengths[code.slice(0, 2)] ?? code.length)) return null
  const digits = [...code.slice(4), ...code.slice(0, 4)].map((sign) => parseInt(sign, 36)).join('')
  return BigInt(digits) % 97n === 1n ? code : null
}

/** «IT60 X054 2811 …», as banks print it. */
export const ibanInFours = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, '$1 ')
