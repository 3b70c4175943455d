/** The words of tasks and projects: states, priorities, days. */
import type { ProjectStatus } from '@/data/projects'
import type { TaskState } from '@/data/tasks'

export const taskStates: Record<TaskState, string> = {
  da_fare: 'Da fare',
  in_corso: 'In corso',
  in_attesa: 'In attesa',
  fatto: 'Fatto',
}

/** By their number in the database. */
export const priorities = ['Nessuna', 'Bassa', 'Media', 'Alta'] as const

export const projectStatuses: Record<ProjectStatus, string> = {
  attivo: 'Attivo',
  in_pausa: 'In pausa',
  chiuso: 'Chiuso',
}

/** Monday first. */
export const weekdays = ['lunedì', 'martedì', 'mercoledì', 'giovedì', 'venerdì', 'sabato', 'domenica'] as const

const asUtc = (day: string) => new Date(`${day}T00:00:00Z`)
const long = new Intl.DateTimeFormat('it-IT', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('it-IT', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** «sabato 21 novembre», for screen readers and headings. */
export const dayInFull = (day: string): string => long.format(asUtc(day))

/** «novembre 2026». */
export const monthAndYear = (day: string): string => month.format(asUtc(day))

/** «1 attività», «3 attività». */
export const countOfTasks = (count: number): string => `${count.toLocaleString('it-IT')} attività`
