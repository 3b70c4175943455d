/** Numbers as Italian text. */

// Four digits are grouped too: «1.234» reads as one figure in a column.
const grouped = new Intl.NumberFormat('it-IT', { useGrouping: 'always', maximumFractionDigits: 2 })

export function formatCredits(value: number): string {
  return grouped.format(value)
}

/** «1000 crediti» of the catalogue as «1.000 crediti». */
export const groupedThousands = (text: string): string =>
  text.replaceAll(/(?<![\d.,])\d{4,6}(?![\d.,])/g, (digits) => formatCredits(Number(digits)))

/** «2.000»: how many there are of something. */
export function formatCount(count: number): string {
  return grouped.format(count)
}

const euro = new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR', useGrouping: 'always' })
const finerEuro = new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR', minimumFractionDigits: 3 })

/** «1.234,50 €», from cents. */
export function formatEuro(cents: number): string {
  return euro.format(cents / 100)
}

/** «1.234,50 €», or another currency by its ISO code. */
export function formatMoney(cents: number, currency: string): string {
  if (currency === 'EUR') return formatEuro(cents)
  return new Intl.NumberFormat('it-IT', { style: 'currency', currency, useGrouping: 'always' }).format(cents / 100)
}

/** «1.234,5» from cents: an amount as somebody would type it. */
export function typedEuro(cents: number): string {
  return grouped.format(cents / 100)
}

/** «0,073 €»: what one credit costs, to a tenth of a cent. */
export function formatUnitPrice(cents: number): string {
  return finerEuro.format(cents / 100)
}

/** The unread badge: the count, '9+' above 9 (NOTICE-03). */
export function badgeCount(unread: number): string {
  return unread > 9 ? '9+' : String(unread)
}
