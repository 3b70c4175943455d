/** Conversations under the days they were last spoken in. */
import type { Conversation } from '@/data/conversations'

export type Group = { title: string; rows: Conversation[] }

const DAY_MS = 86_400_000

const asUtc = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())

/** How many calendar days lie between; the night of the change to summer time has none less. */
function daysBetween(from: Date, to: Date): number {
  return (asUtc(to) - asUtc(from)) / DAY_MS
}

function titleOf(iso: string, now: Date): string {
  const days = daysBetween(new Date(iso), now)
  // The server's clock may be ahead by seconds.
  if (days <= 0) return 'Oggi'
  if (days === 1) return 'Ieri'
  // Weeks begin on Monday.
  return days <= (now.getDay() + 6) % 7 ? 'Questa settimana' : 'Prima'
}

/** The pinned ones first, then by day; no group is empty. `rows` come newest first. */
export function grouped(pinned: readonly Conversation[], rows: readonly Conversation[], now: Date): Group[] {
  const groups: Group[] = pinned.length > 0 ? [{ title: 'Fissate', rows: [...pinned] }] : []
  for (const row of rows) {
    const title = titleOf(row.last_message_at, now)
    const last = groups.at(-1)
    if (last?.title === title) last.rows.push(row)
    else groups.push({ title, rows: [row] })
  }
  return groups
}

/** How many milliseconds after `now` today becomes yesterday. */
export function untilTomorrow(now: number): number {
  const tomorrow = new Date(now)
  tomorrow.setHours(24, 0, 0, 0)
  return tomorrow.getTime() - now
}
