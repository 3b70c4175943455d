/** What a told change does to the list that the bell counts. */
import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { afterEach, expect, test } from 'vitest'

import { applyChange, type Notification } from '@/data/notifications'
import { pollingInterval } from '@/data/postgrest'
import { setLive } from '@/lib/live'

type Change = RealtimePostgresChangesPayload<Notification>

afterEach(() => setLive('off'))

const row = (id: string, minute: number, change: Partial<Notification> = {}): Notification => ({
  id,
  user_id: 'user-1',
  title: id,
  message: 'Testo',
  type: 'info',
  is_read: false,
  read_at: null,
  created_at: new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString(),
  action_url: null,
  ...change,
})

const told = (eventType: Change['eventType'], change: Partial<Notification>): Change =>
  ({ eventType, new: eventType === 'DELETE' ? {} : change, old: change, errors: [] }) as unknown as Change

const ids = (rows: Notification[] | null) => rows?.map(({ id }) => id)

test('a new row takes its place by time, once however often it is told', () => {
  const rows = [row('c', 3), row('a', 1)]
  const once = applyChange(rows, told('INSERT', row('b', 2))) ?? []
  expect(ids(once)).toEqual(['c', 'b', 'a'])
  expect(ids(applyChange(once, told('INSERT', row('b', 2))))).toEqual(['c', 'b', 'a'])
})

test('a row read elsewhere is read here', () => {
  const rows = applyChange([row('a', 1)], told('UPDATE', row('a', 1, { is_read: true })))
  expect(rows?.[0]?.is_read).toBe(true)
})

test('a change of a row beyond the list is nothing to show', () => {
  expect(ids(applyChange([row('b', 2)], told('UPDATE', row('a', 1))))).toEqual(['b'])
})

test('a deleted row goes by its id alone, and an unknown one changes nothing', () => {
  expect(ids(applyChange([row('b', 2), row('a', 1)], told('DELETE', { id: 'b' })))).toEqual(['a'])
  expect(ids(applyChange([row('a', 1)], told('DELETE', { id: 'b' })))).toEqual(['a'])
})

test('a full list stays at fifty, and asks the server what follows a deleted row', () => {
  const full = Array.from({ length: 50 }, (_, index) => row(`r${index}`, 50 - index))
  expect(applyChange(full, told('INSERT', row('new', 59)))).toHaveLength(50)
  expect(applyChange(full, told('DELETE', { id: 'r3' }))).toBeNull()
})

test('polling slows down while changes arrive by themselves, and only then', () => {
  const fine = { state: { status: 'success' } }
  setLive('live')
  expect(pollingInterval(fine)).toBe(300_000)
  expect(pollingInterval({ state: { status: 'error' } })).toBe(5_000)
  setLive('lost')
  expect(pollingInterval(fine)).toBe(30_000)
})
