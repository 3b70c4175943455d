/** A recurrence as the small editor shows it, and as the database keeps it (the subset of RFC 5545 of public.is_rrule). */

export type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

export type Rule = {
  frequency: Frequency
  /** Every so many days, weeks, months or years. */
  interval: number
  /** Of a week: MO to SU. */
  weekdays: string[]
  /** Of a month: a day such as `15`, `-1` for the last, or a weekday such as `1MO`; empty for the day it is due. */
  monthDay: string
  /** The last day it may fall on, `YYYY-MM-DD`; empty for ever. */
  until: string
  /** How often, at most; null for ever. */
  count: number | null
}

export const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

export const simplest = (frequency: Frequency): Rule => ({
  frequency,
  interval: 1,
  weekdays: [],
  monthDay: '',
  until: '',
  count: null,
})

export function readRule(rrule: string): Rule {
  const parts = new Map(rrule.split(';').map((part) => part.split('=', 2) as [string, string]))
  const frequency = (parts.get('FREQ') ?? 'DAILY') as Frequency
  const days = parts.get('BYDAY') ?? ''
  const until = parts.get('UNTIL')
  return {
    frequency,
    interval: Number(parts.get('INTERVAL') ?? 1),
    weekdays: frequency === 'WEEKLY' && days ? days.split(',') : [],
    monthDay: frequency === 'MONTHLY' ? (parts.get('BYMONTHDAY') ?? days) : '',
    until: until ? `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}` : '',
    count: parts.has('COUNT') ? Number(parts.get('COUNT')) : null,
  }
}

export function writeRule({ frequency, interval, weekdays, monthDay, until, count }: Rule): string {
  const parts = [`FREQ=${frequency}`]
  if (interval > 1) parts.push(`INTERVAL=${interval}`)
  if (frequency === 'WEEKLY' && weekdays.length > 0)
    parts.push(`BYDAY=${weekdayCodes.filter((code) => weekdays.includes(code)).join(',')}`)
  if (frequency === 'MONTHLY' && monthDay) parts.push(`${/[A-Z]/.test(monthDay) ? 'BYDAY' : 'BYMONTHDAY'}=${monthDay}`)
  if (count) parts.push(`COUNT=${count}`)
  else if (until) parts.push(`UNTIL=${until.replaceAll('-', '')}`)
  return parts.join(';')
}
