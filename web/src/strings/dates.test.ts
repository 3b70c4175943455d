import { expect, test } from 'vitest'

import { dayLabel, fullDate, relativeTime } from '@/strings/dates'

const now = new Date(2026, 10, 20, 12, 0, 0)
const minutesAgo = (minutes: number): string => new Date(now.getTime() - minutes * 60_000).toISOString()

test.each([
  [0, 'adesso'],
  // The server's clock may be ahead of the browser's.
  [-3, 'adesso'],
  [1, 'un minuto fa'],
  [120, '2 ore fa'],
  [60 * 24, 'un giorno fa'],
  [60 * 24 * 9, '9 giorni fa'],
])('%i minutes before now reads «%s»', (minutes, text) => {
  expect(relativeTime(minutesAgo(minutes), now)).toBe(text)
})

test('days are named for people', () => {
  expect(dayLabel(minutesAgo(60), now)).toBe('Oggi')
  expect(dayLabel(minutesAgo(13 * 60), now)).toBe('Ieri')
  expect(dayLabel(minutesAgo(60 * 24 * 7), now)).toBe('ven 13 nov')
})

test('the full date has weekday, month and time in Italian', () => {
  expect(fullDate(new Date(2026, 10, 20, 9, 5).toISOString())).toBe('venerdì 20 novembre 2026, 09:05')
})
