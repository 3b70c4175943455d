/** The steps of a task: ticked, added, pasted as a list, put into another order. */
import { useQuery } from '@tanstack/react-query'
import { ArrowDownIcon, ArrowUpIcon, PlusIcon } from 'lucide-react'
import { type ClipboardEvent, type FormEvent, useState } from 'react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Progress } from '@/components/ui/progress'
import { WaitsForNetwork } from '@/components/waits-for-network'
import { useWithKept } from '@/data/kept'
import { useAddSubtasks } from '@/data/task-changes'
import { subtasksQuery, type Task } from '@/data/tasks'
import { Tick } from '@/components/tick'
import { leftOutText, linesIn } from '@/components/quick-add/checklist'
import { tellFailure } from '@/components/save-failure'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { cn } from '@/lib/cn'
import { placesAt } from '@/lib/fractional-position'

const NONE: Task[] = []

type Props = { userId: string; task: Task; actions: TaskActions; onOpen: (task: Task) => void }

export function Subtasks({ userId, task, actions, onOpen }: Props) {
  const query = useQuery(subtasksQuery(userId, task.id))
  const add = useAddSubtasks(userId)
  const [text, setText] = useState('')
  const all = useWithKept(userId, query.data ?? NONE)
  const known = all.filter(({ parent_id: parent }) => parent === task.id)
  const steps = known.toSorted((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0))
  const done = steps.filter(({ state }) => state === 'fatto').length

  async function addAll({ lines, leftOut }: ReturnType<typeof linesIn>) {
    if (lines.length === 0) return
    const sent = text
    try {
      await add.mutateAsync({ parentId: task.id, titles: lines })
      setText((now) => (now === sent ? '' : now))
      if (leftOut > 0) toast.warning(leftOutText(lines.length, leftOut))
    } catch (error) {
      tellFailure(error)
    }
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    void addAll(linesIn(text))
  }

  function onPaste(event: ClipboardEvent) {
    const pasted = linesIn(event.clipboardData.getData('text/plain'))
    if (pasted.lines.length < 2) return
    event.preventDefault()
    void addAll(pasted)
  }

  function move(index: number, step: 1 | -1) {
    const moved = steps[index]
    if (!moved) return
    const others = steps.filter(({ id }) => id !== moved.id)
    void actions.place(moved.id, placesAt(others, moved.id, index + step))
  }

  return (
    <section aria-label="Sotto-attività" className="grid gap-2">
      <h3 className="flex items-baseline justify-between text-sm font-medium">
        Sotto-attività
        {steps.length > 0 && (
          <span className="font-normal text-muted-foreground tabular">
            {done} di {steps.length}
          </span>
        )}
      </h3>
      {steps.length > 0 && <Progress value={done} max={steps.length} aria-label="Sotto-attività completate" />}
      {query.isError && !query.data && (
        <LoadError text="Non riusciamo a leggere le sotto-attività." onRetry={() => void query.refetch()} />
      )}
      <ul>
        {steps.map((step, index) => (
          <li key={step.id} className="flex items-center">
            <Tick
              title={step.title}
              isDone={step.state === 'fatto'}
              isUrgent={step.priority === 3}
              onToggle={() => void actions.toggle(step)}
            />
            <button
              onClick={() => onOpen(step)}
              className={cn(
                'min-h-11 min-w-0 flex-1 rounded-sm text-left text-sm break-words',
                step.state === 'fatto' && 'text-muted-foreground line-through',
              )}
            >
              {step.title} {step.kept && <WaitsForNetwork isRefused={step.kept === 'refused'} />}
            </button>
            <Button
              variant="ghost"
              size="icon"
              className="text-muted-foreground"
              aria-label={`Sposta su: ${step.title}`}
              disabled={index === 0}
              onClick={() => move(index, -1)}
            >
              <ArrowUpIcon aria-hidden />
            </Button>
            <Button
              variant="ghost"
              size="icon"
              className="text-muted-foreground"
              aria-label={`Sposta giù: ${step.title}`}
              disabled={index === steps.length - 1}
              onClick={() => move(index, 1)}
            >
              <ArrowDownIcon aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <form onSubmit={onSubmit} className="flex gap-2">
        <Input
          value={text}
          maxLength={200}
          aria-label="Nuova sotto-attività"
          placeholder="Aggiungi, o incolla un elenco"
          onChange={(event) => setText(event.target.value)}
          onPaste={onPaste}
        />
        <Button
          type="submit"
          variant="outline"
          size="icon"
          aria-label="Aggiungi sotto-attività"
          disabled={add.isPending || !text.trim()}
        >
          <PlusIcon aria-hidden />
        </Button>
      </form>
    </section>
  )
}
