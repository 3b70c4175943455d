/** Numbers as Italian text. */

// Four digits are grouped too: «1.234» reads as one figure in a column.
const grouped = new Intl.NumberFormat('it-IT', { useGrouping: 'always', maximumFractionDigits: 2 })

export function formatCredits(value: number): string {
  return grouped.format(value)
}

/** The unread badge: the count, '9+' above 9 (spec section 2). */
export function badgeCount(unread: number): string {
  return unread > 9 ? '9+' : String(unread)
}
