import { expect, test } from 'vitest'

import type { Task } from '@/data/tasks'
import { byDue, calendarDays, isLate, itemsOf, listSections, matches, todaySections } from '@/features/tasks/model'
import { linesIn } from '@/components/quick-add/checklist'
import { movedReminders, toggleReminder } from '@/features/tasks/reminders'
import { shifted } from '@/components/quick-add/use-quick-add'
import { instantOf, wallTime } from '@/lib/rome-time'

const none = new Map<string, number>()

/** A task due on the wall time or day `due`. */
function task(id: string, due: string | null, change: Partial<Task> = {}): Task {
  return {
    id,
    title: id,
    notes: null,
    state: 'da_fare',
    priority: 0,
    due_at: due && instantOf(due),
    due_is_allday: due?.length === 10,
    someday: false,
    remind_at: [],
    parent_id: null,
    project_id: null,
    contact_id: null,
    waiting_for: null,
    position: 'a0',
    completed_at: null,
    ...change,
  } as Task
}

const told = (sections: { title: string; items: { task: Task }[] }[]) =>
  sections.map(({ title, items }) => [title, ...items.map((item) => item.task.id)])

test('Oggi shows what is late, due, without a date and done, and nothing of tomorrow', () => {
  const items = itemsOf(
    [
      task('tomorrow', '2026-11-22'),
      task('at nine', '2026-11-21T09:00'),
      task('all day', '2026-11-21'),
      task('late', '2026-11-19'),
      task('undated', null),
      task('dream', null, { someday: true }),
      task('done', '2026-11-21', { state: 'fatto', completed_at: '2026-11-21T08:00:00Z' }),
      task('done before', null, { state: 'fatto', completed_at: '2026-11-20T08:00:00Z' }),
    ],
    none,
  )
  expect(told(todaySections(items, '2026-11-21'))).toEqual([
    ['Scadute', 'late'],
    ['Oggi', 'all day', 'at nine'],
    ['Senza data', 'undated'],
    ['Fatte oggi', 'done'],
  ])
})

test('the list holds every open task once, by when', () => {
  const days = ['2026-11-19', '2026-11-21', '2026-11-22', '2026-11-23', '2027-01-01']
  const items = itemsOf([...days.map((day) => task(day, day)), task('undated', null)], none)
  expect(told(listSections(items, '2026-11-21'))).toEqual([
    ['Scadute', '2026-11-19'],
    ['Oggi', '2026-11-21'],
    ['Domani', '2026-11-22'],
    ['Più avanti', '2026-11-23', '2027-01-01'],
    ['Senza data', 'undated'],
  ])
  // On a Sunday tomorrow belongs to the next week already.
  const onSunday = listSections(items, '2026-11-22').flatMap((section) => section.items)
  expect(onSunday.map(({ task: { id } }) => id).toSorted()).toEqual([...days, 'undated'].toSorted())
})

test('an hour is late when it is over, a day when the next one begins', () => {
  const [timed, allDay] = itemsOf([task('a', '2026-11-21T15:00'), task('b', '2026-11-21')], none)
  expect([timed, allDay].map((item) => item && isLate(item, '2026-11-21T15:01'))).toEqual([true, false])
  expect(allDay && isLate(allDay, '2026-11-22T00:00')).toBe(true)
})

test('subtasks count in their parent, and stand alone only with a date', () => {
  const items = itemsOf(
    [
      task('parent', null),
      task('step', null, { parent_id: 'parent' }),
      task('dated', '2026-11-21', { parent_id: 'parent' }),
    ],
    new Map([['parent', 3]]),
  )
  expect(items.map(({ task: { id }, steps }) => [id, steps])).toEqual([
    ['parent', { done: 3, total: 5 }],
    ['dated', { done: 0, total: 0 }],
  ])
})

test('equal dates are ordered by priority, then by hand', () => {
  const items = itemsOf(
    [
      task('b', null, { position: 'a2' }),
      task('a', null, { position: 'a1' }),
      task('c', null, { priority: 3, position: 'a9' }),
    ],
    none,
  )
  expect(items.toSorted(byDue).map((item) => item.task.id)).toEqual(['c', 'a', 'b'])
})

test('a filter for a contact finds also those who are waited for', () => {
  const [item] = itemsOf([task('Chiamare Rossi', null, { waiting_for: 'c1' })], none)
  const filters = { text: 'ROSSI', projectId: null, contactId: 'c1', priority: null }
  expect(item && matches(item, filters)).toBe(true)
  expect(item && matches(item, { ...filters, contactId: 'c2' })).toBe(false)
})

test.each([
  ['2026-11-21', '2026-10-26', '2026-12-06'],
  ['2027-02-10', '2027-02-01', '2027-02-28'],
  ['2026-08-31', '2026-07-27', '2026-09-06'],
])('the month of %s is shown in whole weeks from Monday', (day, first, last) => {
  const days = calendarDays(day, 'mese')
  expect([days[0], days.at(-1)]).toEqual([first, last])
})

test('a pasted list loses its bullets, boxes and numbers, not its words', () => {
  expect(linesIn('- [ ] pane\n* latte\n\n2) uova\n  3 mele\n-5 gradi').lines).toEqual([
    'pane',
    'latte',
    'uova',
    '3 mele',
    '-5 gradi',
  ])
})

test('rows of a spreadsheet become titles that the database takes', () => {
  expect(linesIn('Preventivo\t1200\r\n\u0007Sollecito\t\t300').lines).toEqual(['Preventivo 1200', 'Sollecito 300'])
})

test('of a long list it is known how much is left out', () => {
  const { lines, leftOut } = linesIn(Array.from({ length: 150 }, (_, index) => `Riga ${index + 1}`).join('\n'))
  expect([lines.length, lines.at(-1), leftOut]).toEqual([100, 'Riga 100', 50])
})

test.each([['0002-05-11T23:10:04.000Z'], ['2199-12-31T23:30:00Z'], ['+010000-01-01T00:00:00Z'], ['never']])(
  'a task due %s is shown without a date',
  (due_at) => {
    const items = itemsOf([task('strange', null, { due_at })], none)
    expect(told(listSections(items, '2026-11-21'))).toEqual([['Senza data', 'strange']])
  },
)

test('what was turned back into text stays so while one writes around it', () => {
  expect(shifted([7], 'domani lunedì', 'dopodomani lunedì')).toEqual([11])
  expect(shifted([0], 'lunedì', 'lunedì mattina')).toEqual([0])
  expect(shifted([0, 7], 'domani lunedì', 'domani')).toEqual([0])
})

test('a reminder is switched on and off, and others stay', () => {
  const other = '2026-11-01T08:00:00.000Z'
  const dated = task('a', '2026-11-21T15:00', { remind_at: [other] })
  const both = toggleReminder(dated, 'hour')
  expect(both).toEqual([other, '2026-11-21T13:00:00.000Z'])
  expect(toggleReminder({ ...dated, remind_at: both }, 'hour')).toEqual([other])
  expect(toggleReminder(task('b', '2026-11-21'), 'day')).toEqual(['2026-11-20T08:00:00.000Z'])
})

/** The reminders of a task due on `from` once it is due on `to`, as the clock shows them. */
function moved(from: string, to: string, ...reminders: string[]): string[] {
  const due = { due_at: instantOf(to), due_is_allday: to.length === 10 }
  return movedReminders(task('moved', from, { remind_at: reminders.map(instantOf) }), due).map(wallTime)
}

test.each([
  ['the same day', ['2026-12-10', '2026-12-10T15:00', '2026-12-10T09:00'], ['2026-12-10T15:00']],
  ['the day before', ['2026-12-10', '2026-12-10T15:00', '2026-12-09T09:00'], ['2026-12-09T15:00']],
  ['an hour before', ['2026-12-10T15:00', '2026-12-10T16:00', '2026-12-10T14:00'], ['2026-12-10T15:00']],
  ['an hour before a whole day', ['2026-12-10T15:00', '2026-12-10', '2026-12-10T14:00'], ['2026-12-10T09:00']],
  ['both on the day', ['2026-12-10T15:00', '2026-12-10', '2026-12-10T14:00', '2026-12-10T15:00'], ['2026-12-10T09:00']],
  ['another hour', ['2026-12-10', '2026-12-11T15:00', '2026-12-08T18:30'], ['2026-12-09T18:30']],
  [
    'another hour, over summer time',
    ['2026-10-24T15:00', '2026-10-26T15:00', '2026-10-24T08:00'],
    ['2026-10-26T08:00'],
  ],
  ['a choice, over summer time', ['2027-03-26', '2027-03-29', '2027-03-26T09:00'], ['2027-03-29T09:00']],
])('a reminder keeps what it says when the date moves: %s', (_, [from = '', to = '', ...reminders], expected) => {
  expect(moved(from, to, ...reminders)).toEqual(expected)
})
