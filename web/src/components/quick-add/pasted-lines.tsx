/** Several pasted lines: tasks of their own, or the steps of one. */
import { Button } from '@/components/ui/button'
import { leftOutText } from '@/components/quick-add/checklist'
import { countOfTasks } from '@/strings/tasks'

type Props = {
  lines: string[]
  /** How many more were pasted. */
  leftOut: number
  /** What is already written; without it the first line is the task. */
  title: string
  isBusy: boolean
  onAdd: (asSteps: boolean) => void
  onCancel: () => void
}

export function PastedLines({ lines, leftOut, title, isBusy, onAdd, onCancel }: Props) {
  const steps = title ? lines.length : lines.length - 1
  return (
    <div role="group" aria-label="Righe incollate" className="grid gap-3 rounded-md border bg-card p-4 text-sm">
      <p>
        Hai incollato {(lines.length + leftOut).toLocaleString('it-IT')} righe: «{lines[0]}», «{lines[1]}»
        {lines.length > 2 && '…'}
        {leftOut > 0 && ` ${leftOutText(lines.length, leftOut)}`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={isBusy} onClick={() => onAdd(true)}>
          «{(title || lines[0] || '').slice(0, 30)}» con {steps} {steps === 1 ? 'sotto-attività' : 'sotto-attività'}
        </Button>
        <Button size="sm" variant="outline" disabled={isBusy} onClick={() => onAdd(false)}>
          {countOfTasks(lines.length)} separate
        </Button>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          Annulla
        </Button>
      </div>
    </div>
  )
}
