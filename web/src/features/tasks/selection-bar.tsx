/** What can be done with several tasks at once; there only while some are selected. */
import { CalendarArrowUpIcon, CheckIcon, Trash2Icon, XIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import type { Task } from '@/data/tasks'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { addDays, romeDay } from '@/lib/rome-time'

type Props = { tasks: Task[]; actions: TaskActions; onDone: () => void }

export function SelectionBar({ tasks, actions, onDone }: Props) {
  if (tasks.length === 0) return null

  function run(work: () => Promise<unknown>) {
    onDone()
    void work()
  }
  const toTomorrow = () => {
    const tomorrow = addDays(romeDay(new Date()), 1)
    return Promise.all(tasks.map((task) => actions.moveTo(task, tomorrow)))
  }

  return (
    <div
      role="toolbar"
      aria-label="Attività selezionate"
      className="sticky bottom-[calc(5.5rem+env(safe-area-inset-bottom))] z-30 mx-auto flex w-fit max-w-full flex-wrap items-center gap-1 rounded-xl border bg-popover px-3 py-1.5 shadow-float"
    >
      <p role="status" className="pr-2 text-sm font-medium">
        {tasks.length === 1 ? '1 selezionata' : `${tasks.length} selezionate`}
      </p>
      <Button variant="ghost" size="sm" onClick={() => run(() => actions.complete(tasks))}>
        <CheckIcon aria-hidden /> Completa
      </Button>
      <Button variant="ghost" size="sm" onClick={() => run(toTomorrow)}>
        <CalendarArrowUpIcon aria-hidden /> A domani
      </Button>
      <Button variant="ghost" size="sm" onClick={() => run(() => actions.remove(tasks))}>
        <Trash2Icon aria-hidden /> Elimina
      </Button>
      <Button variant="ghost" size="icon" aria-label="Deseleziona tutto" onClick={onDone}>
        <XIcon aria-hidden />
      </Button>
    </div>
  )
}
