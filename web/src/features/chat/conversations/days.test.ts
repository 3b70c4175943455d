import { expect, test } from 'vitest'

import type { Conversation } from '@/data/conversations'
import { grouped } from '@/features/chat/conversations/days'

const at = (day: string, id = day): Conversation => ({
  id,
  title: null,
  agent: 'automatico',
  is_temporary: false,
  uses_memory: true,
  auto_approve: [],
  pinned_at: null,
  archived_at: null,
  last_message_at: new Date(`${day}T10:00:00`).toISOString(),
  created_at: new Date(`${day}T10:00:00`).toISOString(),
})

const titles = (rows: Conversation[], now: string) =>
  grouped([], rows, new Date(`${now}T12:00:00`)).map(({ title, rows: { length } }) => `${title} ${length}`)

test('conversations stand under today, yesterday, this week and before', () => {
  const rows = ['2026-11-20', '2026-11-20', '2026-11-19', '2026-11-17', '2026-11-16', '2026-11-15'].map((day) =>
    at(day),
  )
  expect(titles(rows, '2026-11-20')).toEqual(['Oggi 2', 'Ieri 1', 'Questa settimana 2', 'Prima 1'])
})

test('on a Monday yesterday is still yesterday, and nothing else is of this week', () => {
  expect(titles([at('2026-11-16'), at('2026-11-15'), at('2026-11-14')], '2026-11-16')).toEqual([
    'Oggi 1',
    'Ieri 1',
    'Prima 1',
  ])
})

test('a server ahead of this clock still spoke today', () => {
  expect(titles([at('2026-11-21')], '2026-11-20')).toEqual(['Oggi 1'])
})

test('the pinned ones stand first, whenever they were', () => {
  const groups = grouped([at('2026-01-02', 'old')], [at('2026-11-20')], new Date('2026-11-20T12:00:00'))
  expect(groups.map(({ title }) => title)).toEqual(['Fissate', 'Oggi'])
})
