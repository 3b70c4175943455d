/** What can be done to a task from any view, with its toast and the way back. */
import { toast } from 'sonner'

import { DataError } from '@/data/postgrest'
import { type Task, useChangeTask, useCompleteTask, useReopenTask } from '@/data/tasks'
import { datesOf, dueText } from '@/features/tasks/model'
import { instantOf, wallTime } from '@/lib/rome-time'

/** Says why nothing was changed; the screen shows the former state again by itself. */
export function tellFailure(error: unknown): void {
  const isAway = error instanceof DataError ? error.status === 0 || error.status >= 500 : true
  toast.error(
    isAway
      ? 'Non c’è collegamento: la modifica non è stata salvata. Riprova tra poco.'
      : 'Non siamo riusciti a salvare la modifica: riprova.',
  )
}

async function run(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    tellFailure(error)
  }
}

type TaskChange = Parameters<ReturnType<typeof useChangeTask>['mutateAsync']>[0]['change']

export type TaskActions = ReturnType<typeof useTaskActions>

export function useTaskActions(userId: string) {
  const change = useChangeTask(userId)
  const completion = useCompleteTask(userId)
  const reopening = useReopenTask(userId)

  const reopen = (id: string) => run(async () => void (await reopening.mutateAsync({ id })))

  const complete = (tasks: readonly Task[]) =>
    run(async () => {
      const answers = await Promise.all(tasks.map(({ id }) => completion.mutateAsync({ id })))
      const next = answers[0]?.next
      const { day, time } = next ? datesOf(next) : { day: null, time: null }
      const [first] = tasks
      const isOne = tasks.length === 1
      toast(isOne ? 'Attività completata' : `${tasks.length} attività completate`, {
        ...(isOne && {
          description: day ? `${first?.title} · prossima: ${dueText(day, time, wallTime(new Date()))}` : first?.title,
        }),
        action: { label: 'Annulla', onClick: () => tasks.forEach(({ id }) => void reopen(id)) },
      })
    })

  const save = (id: string, values: TaskChange, shows?: Partial<Task>) =>
    run(async () => void (await change.mutateAsync({ id, change: values, ...(shows && { shows }) })))

  /** Writes to several tasks; «Annulla» writes back what they had. */
  const changeAll = (tasks: readonly Task[], changeOf: (task: Task) => TaskChange) =>
    run(async () => {
      const changes = tasks.map((task) => ({ id: task.id, change: changeOf(task), former: task }))
      await Promise.all(changes.map(({ id, change: values }) => change.mutateAsync({ id, change: values })))
      const restore = () =>
        Promise.all(
          changes.map(({ id, change: values, former }) => change.mutateAsync({ id, change: partOf(former, values) })),
        )
      toast(tasks.length === 1 ? 'Attività modificata' : `${tasks.length} attività modificate`, {
        action: { label: 'Annulla', onClick: () => void run(async () => void (await restore())) },
      })
    })

  /** Null takes them out again. */
  const trash = (at: string | null, tasks: readonly Task[]) =>
    Promise.all(tasks.map(({ id }) => change.mutateAsync({ id, change: { deleted_at: at } })))

  return {
    complete,
    reopen,
    save,
    toggle: (task: Task) => (task.state === 'fatto' ? reopen(task.id) : complete([task])),
    /** Puts the task on another day, at its hour; its reminders move along. */
    moveTo: (task: Task, day: string) => save(task.id, movedTo(task, day)),
    saveAll: (tasks: readonly Task[], values: TaskChange) => changeAll(tasks, () => values),
    /** Null takes their dates away, and with them what repeats. */
    moveAllTo: (tasks: readonly Task[], day: string | null) =>
      changeAll(tasks, (task) => (day ? movedTo(task, day) : { due_at: null, remind_at: [], rrule: null })),
    remove: (tasks: readonly Task[]) =>
      run(async () => {
        const steps = tasks.filter(({ parent_id: parent }) => parent)
        const parents = tasks.filter(({ parent_id: parent }) => !parent)
        await trash(new Date().toISOString(), tasks)
        toast(tasks.length === 1 ? 'Attività eliminata' : `${tasks.length} attività eliminate`, {
          ...(tasks.length === 1 && { description: tasks[0]?.title }),
          action: {
            label: 'Annulla',
            onClick: () =>
              void run(async () => {
                // What comes back before its parent leaves it.
                await trash(null, parents)
                await trash(null, steps)
              }),
          },
        })
      }),
  }
}

function movedTo(task: Task, day: string) {
  const { time } = datesOf(task)
  const due = instantOf(time ? `${day}T${time}` : day)
  return { due_at: due, due_is_allday: !time, someday: false, remind_at: movedReminders(task, due) }
}

/** What `task` has in the columns of `change`. */
const partOf = (task: Task, change: TaskChange): TaskChange =>
  Object.fromEntries(Object.entries(task).filter(([column]) => column in change))

/** The reminders of `task`, as far from `due` as they were from its former date. */
export function movedReminders(task: Pick<Task, 'due_at' | 'remind_at'>, due: string | null): string[] {
  if (!task.due_at || !due) return []
  const shift = Date.parse(due) - Date.parse(task.due_at)
  return task.remind_at.map((at) => new Date(Date.parse(at) + shift).toISOString())
}
