/** What the views show: tasks with their day on the Italian calendar, filtered, grouped and ordered. */
import type { Task } from '@/data/tasks'
import { describeDue } from '@/lib/quick-add/describe'
import { addDays, instantOf, mondayOf, romeDay, wallTime } from '@/lib/rome-time'

export type Item = {
  task: Task
  /** The day it is due, `YYYY-MM-DD`. */
  day: string | null
  /** The hour it is due, `HH:MM`; null for the whole day. */
  time: string | null
  isDone: boolean
  /** Its subtasks. */
  steps: { done: number; total: number }
}

export type Filters = {
  text: string
  projectId: string | null
  contactId: string | null
  priority: number | null
}

export type Section = { id: string; title: string; items: Item[]; tone?: 'late' }

/** Each task with what follows from it; subtasks stand in their parent's count, and by themselves when they have a date. */
export function itemsOf(tasks: readonly Task[], ticked: ReadonlyMap<string, number>): Item[] {
  const openSteps = new Map<string, number>()
  for (const { parent_id: parent, state } of tasks)
    if (parent && state !== 'fatto') openSteps.set(parent, (openSteps.get(parent) ?? 0) + 1)
  return tasks
    .filter((task) => !task.parent_id || task.due_at)
    .map((task) => {
      const done = ticked.get(task.id) ?? 0
      const { day, time } = datesOf(task)
      return {
        task,
        day,
        time,
        isDone: task.state === 'fatto',
        steps: { done, total: done + (openSteps.get(task.id) ?? 0) },
      }
    })
}

/** The first and the last day that a task may have: those the database takes. */
export const DUE_RANGE = { min: '2000-01-01', max: '2199-12-31' } as const

/** Whether `day` is a day that a task may have. */
export const isDueDay = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && day >= DUE_RANGE.min && day <= DUE_RANGE.max

/** When `task` is due, on the clock in Italy; a date outside every calendar counts as none. */
export function datesOf(task: Pick<Task, 'due_at' | 'due_is_allday'>): { day: string | null; time: string | null } {
  const wall = task.due_at && !Number.isNaN(Date.parse(task.due_at)) ? wallTime(task.due_at) : ''
  const day = wall.slice(0, 10)
  return isDueDay(day) ? { day, time: task.due_is_allday ? null : wall.slice(11) } : { day: null, time: null }
}

/** «oggi», «domani 15:00», «lun 30 nov»; `now` is a wall time. */
export const dueText = (day: string, time: string | null, now: string): string =>
  describeDue(time ? `${day}T${time}` : day, !time, new Date(instantOf(now)))

/** `now` is a wall time. */
export function isLate({ day, time, isDone }: Item, now: string): boolean {
  if (isDone || !day) return false
  return time ? `${day}T${time}` < now : day < now.slice(0, 10)
}

export function matches({ task }: Item, { text, projectId, contactId, priority }: Filters): boolean {
  return (
    (!projectId || task.project_id === projectId) &&
    (!contactId || task.contact_id === contactId || task.waiting_for === contactId) &&
    (priority === null || task.priority === priority) &&
    (!text || `${task.title} ${task.notes ?? ''}`.toLocaleLowerCase('it').includes(text.toLocaleLowerCase('it')))
  )
}

const bytewise = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** As somebody ordered them by hand. */
export const byPlace = (a: Item, b: Item): number =>
  bytewise(a.task.position, b.task.position) || bytewise(a.task.id, b.task.id)

// The whole day comes before its hours; what has no day comes last.
const moment = ({ day, time }: Item) => (day ? `${day}T${time ?? ''}` : '~')

/** The next one to do first. */
export const byDue = (a: Item, b: Item): number =>
  bytewise(moment(a), moment(b)) || b.task.priority - a.task.priority || byPlace(a, b)

const filled = (sections: Section[]) => sections.filter(({ items }) => items.length > 0)

/** What to look at on `today`: late, due today, without a date, and what is already done. */
export function todaySections(items: readonly Item[], today: string): Section[] {
  const open = items.filter(({ isDone }) => !isDone).toSorted(byDue)
  return filled([
    { id: 'late', title: 'Scadute', items: open.filter(({ day }) => day && day < today), tone: 'late' },
    { id: 'today', title: 'Oggi', items: open.filter(({ day }) => day === today) },
    { id: 'undated', title: 'Senza data', items: open.filter(({ day, task }) => !day && !task.someday) },
    {
      id: 'done',
      title: 'Fatte oggi',
      items: items.filter(({ isDone, task }) => isDone && task.completed_at && romeDay(task.completed_at) === today),
    },
  ])
}

/** Everything still open, by when. */
export function listSections(items: readonly Item[], today: string): Section[] {
  const open = items.filter(({ isDone }) => !isDone).toSorted(byDue)
  const tomorrow = addDays(today, 1)
  const nextMonday = addDays(mondayOf(today), 7)
  const between = (from: string, to: string) => open.filter(({ day }) => day && day >= from && day < to)
  return filled([
    { id: 'late', title: 'Scadute', items: between('', today), tone: 'late' },
    { id: 'today', title: 'Oggi', items: between(today, tomorrow) },
    { id: 'tomorrow', title: 'Domani', items: between(tomorrow, addDays(tomorrow, 1)) },
    { id: 'week', title: 'Questa settimana', items: between(addDays(tomorrow, 1), nextMonday) },
    {
      id: 'later',
      title: 'Più avanti',
      items: open.filter(({ day }) => day && day >= nextMonday && day > tomorrow),
    },
    { id: 'undated', title: 'Senza data', items: open.filter(({ day, task }) => !day && !task.someday) },
    { id: 'someday', title: 'Un giorno', items: open.filter(({ task }) => task.someday) },
  ])
}

/** The days that a calendar shows around `day`, Monday first: one week, or the weeks of its month. */
export function calendarDays(day: string, period: 'mese' | 'settimana'): string[] {
  const first = mondayOf(period === 'mese' ? `${day.slice(0, 7)}-01` : day)
  const days = Array.from({ length: period === 'mese' ? 42 : 7 }, (_, index) => addDays(first, index))
  // A sixth week, and in some Februaries the fifth, may lie in the next month altogether.
  while (days.length > 7 && days.at(-7)?.slice(0, 7) !== day.slice(0, 7)) days.splice(-7)
  return days
}
