/** The three reminders that a task may have, as moments. */
import type { Task } from '@/data/tasks'
import { datesOf } from '@/features/tasks/model'
import { addDays, instantOf } from '@/lib/rome-time'

type Dated = Pick<Task, 'due_at' | 'due_is_allday' | 'remind_at'>
export type Reminder = 'at' | 'hour' | 'day'

/** Of a task for the whole day one is reminded when the day begins. */
const MORNING = '09:00'
const HOUR_MS = 3_600_000

const moment = (task: Dated, daysBefore: number): number => {
  const { day, time } = datesOf(task)
  return Date.parse(instantOf(`${addDays(day ?? '', -daysBefore)}T${time ?? MORNING}`))
}

export const reminders: Record<Reminder, { label: (task: Dated) => string; at: (task: Dated) => number }> = {
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

export const reminderChoices = (task: Dated): Reminder[] => (task.due_is_allday ? ['at', 'day'] : ['at', 'hour', 'day'])

/** The moments after `reminder` was switched. Others, made elsewhere, stay. */
export function toggleReminder(task: Dated, reminder: Reminder): string[] {
  const at = reminders[reminder].at(task)
  const others = task.remind_at.filter((one) => Date.parse(one) !== at)
  return others.length < task.remind_at.length ? others : [...others, new Date(at).toISOString()]
}
