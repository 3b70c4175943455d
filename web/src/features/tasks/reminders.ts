/** The three reminders that a task may have, as moments. */
import type { Task } from '@/data/tasks'
import { datesOf } from '@/features/tasks/model'
import { addDays, instantOf, wallTime } from '@/lib/rome-time'

type Due = Pick<Task, 'due_at' | 'due_is_allday'>
type Dated = Due & Pick<Task, 'remind_at'>
export type Reminder = 'at' | 'hour' | 'day'

/** Of a task for the whole day one is reminded when the day begins. */
const MORNING = '09:00'
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

const moment = (task: Due, daysBefore: number): number => {
  const { day, time } = datesOf(task)
  return Date.parse(instantOf(`${addDays(day ?? '', -daysBefore)}T${time ?? MORNING}`))
}

export const reminders: Record<Reminder, { label: (task: Due) => string; at: (task: Due) => number }> = {
  at: {
    label: (task) => (task.due_is_allday ? `Il giorno stesso alle ${MORNING}` : 'All’ora della scadenza'),
    at: (task) => moment(task, 0),
  },
  hour: { label: () => 'Un’ora prima', at: (task) => moment(task, 0) - HOUR_MS },
  day: {
    label: (task) => (task.due_is_allday ? `Il giorno prima alle ${MORNING}` : 'Un giorno prima'),
    at: (task) => moment(task, 1),
  },
}

export const reminderChoices = (task: Due): Reminder[] => (task.due_is_allday ? ['at', 'day'] : ['at', 'hour', 'day'])

/** The moments after `reminder` was switched. Others, made elsewhere, stay. */
export function toggleReminder(task: Dated, reminder: Reminder): string[] {
  const at = reminders[reminder].at(task)
  const others = task.remind_at.filter((one) => Date.parse(one) !== at)
  return others.length < task.remind_at.length ? others : [...others, new Date(at).toISOString()]
}

/**
 * The reminders of `task` once it is due at `next`: a choice stays that choice, and other moments keep their distance in
 * days and their hour on the clock.
 */
export function movedReminders(task: Dated, next: Due): string[] {
  const { day } = datesOf(task)
  const { day: nextDay } = datesOf(next)
  if (!day || !nextDay) return []
  const days = (Date.parse(nextDay) - Date.parse(day)) / DAY_MS
  const moved = task.remind_at.map((at) => {
    const choice = reminderChoices(task).find((one) => reminders[one].at(task) === Date.parse(at))
    if (!choice) {
      const wall = wallTime(at)
      return instantOf(`${addDays(wall.slice(0, 10), days)}${wall.slice(10)}`)
    }
    // Before a whole day there is no hour.
    const kept = reminderChoices(next).includes(choice) ? choice : 'at'
    return new Date(reminders[kept].at(next)).toISOString()
  })
  return [...new Set(moved)]
}
