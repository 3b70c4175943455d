/** Dates as Italian text. */
import { format, formatDistanceStrict } from 'date-fns'
import { it } from 'date-fns/locale/it'

/** «2 ore fa», «adesso» within the first minute (clocks of server and browser may differ by seconds). */
export function relativeTime(iso: string, now = new Date()): string {
  const date = new Date(iso)
  if (now.getTime() - date.getTime() < 60_000) return 'adesso'
  return formatDistanceStrict(date, now, { locale: it, addSuffix: true })
}

/** «venerdì 20 novembre 2026, 09:05», for hover and screen readers. */
export function fullDate(iso: string): string {
  return format(new Date(iso), 'EEEE d MMMM yyyy, HH:mm', { locale: it })
}

/** «20 novembre 2026, 09:05:12», where the second counts. */
export function legalTime(iso: string): string {
  return format(new Date(iso), 'd MMMM yyyy, HH:mm:ss', { locale: it })
}

/** «20 novembre 2026», for something that lasts. */
export function dayAndMonth(iso: string): string {
  return format(new Date(iso), 'd MMMM yyyy', { locale: it })
}

/** «novembre 2026», of a day in it. */
export function monthAndYear(iso: string): string {
  return format(new Date(iso), 'MMMM yyyy', { locale: it })
}

/** The heading of a day in a list: «Oggi», «Ieri», «ven 20 nov». */
export function dayLabel(iso: string, now = new Date()): string {
  const day = format(new Date(iso), 'yyyy-MM-dd')
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (day === format(now, 'yyyy-MM-dd')) return 'Oggi'
  if (day === format(yesterday, 'yyyy-MM-dd')) return 'Ieri'
  return format(new Date(iso), 'EEE d MMM', { locale: it })
}

/** «20 nov 2026», for a column. */
export function shortDate(iso: string): string {
  return format(new Date(iso), 'd MMM yyyy', { locale: it })
}

/** «20/11/2026», for a file. */
export function dayInDigits(iso: string): string {
  return format(new Date(iso), 'dd/MM/yyyy')
}

/** «20/11/2026 09:05», for a file. */
export function dateAndTime(iso: string): string {
  return format(new Date(iso), 'dd/MM/yyyy HH:mm')
}

/** «09:05», where the day is known. */
export function timeOfDay(iso: string): string {
  return format(new Date(iso), 'HH:mm')
}
