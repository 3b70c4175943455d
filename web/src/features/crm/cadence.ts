/** When it is time to be in touch again, in words. */
import { differenceInCalendarDays } from 'date-fns'

import { shortDate } from '@/strings/dates'

type Cadence = { next_touch_at: string | null; snoozed_until: string | null }

/** When the person is reminded: the cadence, or the end of a snooze beyond it. */
const reminder = ({ next_touch_at, snoozed_until }: Cadence): Date | null => {
  if (!next_touch_at) return null
  return new Date(Math.max(Date.parse(next_touch_at), snoozed_until ? Date.parse(snoozed_until) : 0))
}

export function isDue(cadence: Cadence, now = new Date()): boolean {
  const at = reminder(cadence)
  return at !== null && at <= now
}

/** Whether the reminder is put off beyond now. */
export function isSnoozed({ snoozed_until }: Cadence, now = new Date()): boolean {
  return snoozed_until !== null && new Date(snoozed_until) > now
}

/** «Da risentire», «Oggi», «Tra 3 giorni», or the day. */
export function touchLabel(cadence: Cadence, now = new Date()): string {
  const at = reminder(cadence)
  if (!at) return ''
  if (at <= now) return 'Da risentire'
  const days = differenceInCalendarDays(at, now)
  if (days === 0) return 'Risentire oggi'
  if (days === 1) return 'Risentire domani'
  return days <= 30 ? `Risentire tra ${days} giorni` : `Risentire il ${shortDate(at.toISOString())}`
}
