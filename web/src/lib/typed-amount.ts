/** «1.234,50», «1234.5», «1.234 €» or «-20» in cents; null when it is no amount. */
export function centsOf(typed: string): number | null {
  const compact = typed.replaceAll(/[\s€]/g, '')
  // A point before exactly three digits groups, as Italians write; any other sets off the cents.
  const plain = /^-?\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?$/.test(compact) ? compact.replaceAll('.', '') : compact
  if (!/^-?\d{1,10}(?:[.,]\d{1,2})?$/.test(plain)) return null
  return Math.round(Number(plain.replace(',', '.')) * 100)
}

/** The same of a price or a budget, which is never below zero. */
export function priceOf(typed: string): number | null {
  const cents = centsOf(typed)
  return cents === null || cents < 0 ? null : cents
}
