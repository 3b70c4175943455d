/** What invoices bring and cost, as public.invoiced_by_month counts it. */

/** What takes away; the same as CREDIT_NOTES in functions/_shared/fatturapa/model.py. */
const CREDIT_NOTES = new Set(['TD04', 'TD08'])

/** Nobody pays these; the same as SELF_INVOICES there. */
export const SELF_INVOICES = new Set([
  'TD16',
  'TD17',
  'TD18',
  'TD19',
  'TD20',
  'TD21',
  'TD22',
  'TD23',
  'TD27',
  'TD28',
  'TD29',
])

export const isPayable = (typeCode: string): boolean => !SELF_INVOICES.has(typeCode)

/** Cents of an invoice of this type: those of a credit note are negative, however they are signed. */
export const signedCents = (typeCode: string, cents: number): number =>
  CREDIT_NOTES.has(typeCode) ? -Math.abs(cents) : cents
