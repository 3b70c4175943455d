/** What can be done to a task from any view, with its toast and the way back. */
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { KEPT } from '@/data/outbox'
import { partOf, useChangeTasks, useCompleteTasks, useReopenTasks } from '@/data/task-changes'
import type { Task } from '@/data/tasks'
import { datesOf, dueText } from '@/features/tasks/model'
import { movedReminders } from '@/features/tasks/reminders'
import type { Placed } from '@/lib/fractional-position'
import { instantOf, wallTime } from '@/lib/rome-time'
import { countOfTasks } from '@/strings/tasks'

async function run(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    tellFailure(error)
  }
}

type Changes = Parameters<ReturnType<typeof useChangeTasks>['mutateAsync']>[0]
type TaskChange = Changes[number]['change']

export type TaskActions = ReturnType<typeof useTaskActions>

const participles = {
  completed: ['completata', 'completate'],
  changed: ['modificata', 'modificate'],
  removed: ['eliminata', 'eliminate'],
} as const

/** Says what was done to `done`, some or all of `tasks`; `undo` is asked to take back that much. */
function tellDone(
  did: keyof typeof participles,
  tasks: readonly Task[],
  done: readonly Task[],
  description: string | undefined,
  undo: (done: readonly Task[]) => Promise<void>,
): void {
  const [one, many] = participles[did]
  const action = { label: 'Annulla', onClick: () => void run(() => undo(done)) }
  if (done.length < tasks.length)
    toast.warning(`${done.length.toLocaleString('it-IT')} di ${countOfTasks(tasks.length)} ${many}`, {
      description: 'Le altre sono rimaste com’erano: riprova tra poco.',
      action,
    })
  else if (tasks.length === 1) toast(`Attività ${one}`, { description, action })
  else toast(`${countOfTasks(tasks.length)} ${many}`, { action })
}

export function useTaskActions(userId: string) {
  const change = useChangeTasks(userId)
  const completion = useCompleteTasks(userId)
  const reopening = useReopenTasks(userId)

  /** Writes each change; throws when one of them could not be written, after the others were. */
  async function write(changes: Changes): Promise<void> {
    const { error } = await change.mutateAsync(changes)
    if (error) throw error
  }

  async function reopenAll(tasks: readonly { id: string }[]): Promise<void> {
    const { error } = await reopening.mutateAsync(tasks.map(({ id }) => id))
    if (error) throw error
  }

  const reopen = (id: string) => run(() => reopenAll([{ id }]))

  /** Those that are done already stay as they are, also when this is taken back. */
  const complete = (tasks: readonly Task[]) =>
    run(async () => {
      const open = tasks.filter(({ state }) => state !== 'fatto')
      if (open.length === 0) return void toast(tasks.length === 1 ? 'È già completata' : 'Sono già tutte completate')
      const { answers } = await completion.mutateAsync(open.map(({ id }) => id))
      const [first] = open
      const answer = first && answers.get(first.id)
      const next = answer === KEPT ? null : answer?.next
      const { day, time } = next ? datesOf(next) : { day: null, time: null }
      const facts = [first?.title]
      if (answer === KEPT) facts.push('in attesa di rete')
      if (day) facts.push(`prossima: ${dueText(day, time, wallTime(new Date()))}`)
      tellDone(
        'completed',
        open,
        open.filter(({ id }) => answers.has(id)),
        facts.join(' · '),
        reopenAll,
      )
    })

  const save = (id: string, values: TaskChange, shows?: Partial<Task>) =>
    run(() => write([{ id, change: values, ...(shows && { shows }) }]))

  /** Writes to several tasks; «Annulla» writes back what they had. */
  const changeAll = (tasks: readonly Task[], changeOf: (task: Task) => TaskChange) =>
    run(async () => {
      const { answers } = await change.mutateAsync(tasks.map((task) => ({ id: task.id, change: changeOf(task) })))
      tellDone(
        'changed',
        tasks,
        tasks.filter(({ id }) => answers.has(id)),
        undefined,
        (done) => write(done.map((task) => ({ id: task.id, change: partOf(task, changeOf(task)) }))),
      )
    })

  const restore = (tasks: readonly Task[]) => write(tasks.map(({ id }) => ({ id, change: { deleted_at: null } })))

  return {
    complete,
    reopen,
    save,
    toggle: (task: Task) => (task.state === 'fatto' ? reopen(task.id) : complete([task])),
    /** Puts the task `id` and those that make room for it where `places` says. */
    place: (id: string, places: readonly Placed[], values: TaskChange = {}) =>
      run(() =>
        write(places.map(({ id: one, position }) => ({ id: one, change: { position, ...(one === id && values) } }))),
      ),
    /** Puts the task on another day, at its hour; its reminders move along. */
    moveTo: (task: Task, day: string) => save(task.id, movedTo(task, day)),
    saveAll: (tasks: readonly Task[], values: TaskChange) => changeAll(tasks, () => values),
    /** Null takes their dates away, and with them what repeats. */
    moveAllTo: (tasks: readonly Task[], day: string | null) =>
      changeAll(tasks, (task) => (day ? movedTo(task, day) : { due_at: null, remind_at: [], rrule: null })),
    remove: (tasks: readonly Task[]) =>
      run(async () => {
        const now = new Date().toISOString()
        const { answers } = await change.mutateAsync(tasks.map(({ id }) => ({ id, change: { deleted_at: now } })))
        tellDone(
          'removed',
          tasks,
          tasks.filter(({ id }) => answers.has(id)),
          tasks[0]?.title,
          async (done) => {
            // What comes back before its parent leaves it.
            await restore(done.filter(({ parent_id: parent }) => !parent))
            await restore(done.filter(({ parent_id: parent }) => parent))
          },
        )
      }),
  }
}

function movedTo(task: Task, day: string) {
  const { time } = datesOf(task)
  const due = { due_at: instantOf(time ? `${day}T${time}` : day), due_is_allday: !time }
  return { ...due, someday: false, remind_at: movedReminders(task, due) }
}
