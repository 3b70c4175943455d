import type { Notification } from '@/data/notifications'

/** So many in a row that were not looked at are too many. */
const TOO_MANY = 5

/** The kind whose newest five are all unread, of the newest rows first; the system's own kinds cannot be silenced. */
export function ignoredKind(rows: readonly Notification[], muted: readonly string[]): string | null {
  const asked = rows.filter(({ kind, category }) => category !== 'sistema' && !muted.includes(kind))
  for (const [kind, all] of Map.groupBy(asked, (row) => row.kind)) {
    const newest = all.slice(0, TOO_MANY)
    if (newest.length === TOO_MANY && newest.every((row) => !row.is_read)) return kind
  }
  return null
}
