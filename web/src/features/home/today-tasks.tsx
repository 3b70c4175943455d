/** The first tasks of today, ticked where the day is read. */
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { Tick } from '@/components/tick'
import type { HomeTask } from '@/data/home'
import { KEPT } from '@/data/outbox'
import { useCompleteTasks, useReopenTasks } from '@/data/task-changes'
import { wallTime } from '@/lib/rome-time'
import { paths } from '@/paths'

const SHOWN = 4

export function TodayTasks({ userId, tasks }: { userId: string; tasks: readonly HomeTask[] }) {
  // Done here: the page without them arrives a moment later.
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const complete = useCompleteTasks(userId)
  const reopen = useReopenTasks(userId)
  const shown = tasks.filter(({ id }) => !done.has(id)).slice(0, SHOWN)
  const hide = (id: string) => setDone((former) => new Set([...former, id]))
  const show = (id: string) => setDone((former) => new Set([...former].filter((other) => other !== id)))

  async function onTick({ id, title }: HomeTask) {
    hide(id)
    try {
      const { answers } = await complete.mutateAsync([id])
      const description = answers.get(id) === KEPT ? `${title} · in attesa di rete` : title
      toast('Attività completata', { description, action: { label: 'Annulla', onClick: () => void onUndo(id) } })
    } catch (error) {
      show(id)
      tellFailure(error)
    }
  }

  async function onUndo(id: string) {
    show(id)
    try {
      await reopen.mutateAsync([id])
    } catch (error) {
      hide(id)
      tellFailure(error)
    }
  }

  if (shown.length === 0) return null
  return (
    <ul aria-label="Attività di oggi" className="-my-1.5 -ml-3 grid grid-cols-[minmax(0,1fr)] gap-x-2 sm:grid-cols-2">
      {shown.map((task) => (
        // A phone has room for two.
        <li key={task.id} className="flex items-center max-sm:nth-[n+3]:hidden">
          <Tick title={task.title} isDone={false} onToggle={() => void onTick(task)} />
          <Link to={paths.task(task.id)} className="min-w-0 flex-1 truncate hover:underline">
            {!task.is_allday && (
              <span className="text-muted-foreground tabular">{wallTime(task.due_at).slice(11)} </span>
            )}
            {task.title}
          </Link>
        </li>
      ))}
    </ul>
  )
}
