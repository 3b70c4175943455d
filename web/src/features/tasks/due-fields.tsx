/** When a task is due, on the clock in Italy, and what reminds of it. */
import { useId } from 'react'

import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import type { Task } from '@/data/tasks'
import { datesOf } from '@/features/tasks/model'
import { reminderChoices, reminders, toggleReminder } from '@/features/tasks/reminders'
import { movedReminders, type TaskActions } from '@/features/tasks/use-task-actions'
import { instantOf } from '@/lib/rome-time'

export function DueFields({ task, actions }: { task: Task; actions: TaskActions }) {
  const id = useId()
  const { day, time } = datesOf(task)

  function put(nextDay: string, nextTime: string) {
    const due = nextDay ? instantOf(nextTime ? `${nextDay}T${nextTime}` : nextDay) : null
    void actions.save(task.id, {
      due_at: due,
      due_is_allday: !nextTime,
      remind_at: movedReminders(task, due),
      ...(due ? { someday: false } : { rrule: null }),
    })
  }

  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-2 gap-3">
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-day`}>Scadenza</Label>
          <Input
            id={`${id}-day`}
            type="date"
            min="2000-01-01"
            max="2199-12-31"
            value={day ?? ''}
            onChange={(event) => put(event.target.value, time ?? '')}
          />
        </div>
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-time`}>Ora</Label>
          <Input
            id={`${id}-time`}
            type="time"
            disabled={!day}
            value={time ?? ''}
            onChange={(event) => put(day ?? '', event.target.value)}
          />
        </div>
      </div>
      {!day && (
        <Choice
          label="Un giorno, forse"
          isChecked={task.someday}
          onToggle={() => void actions.save(task.id, { someday: !task.someday })}
        />
      )}
      {day && (
        <fieldset className="grid gap-1">
          <legend className="mb-1.5 text-sm font-medium">Promemoria</legend>
          {reminderChoices(task).map((choice) => (
            <Choice
              key={choice}
              label={reminders[choice].label(task)}
              isChecked={task.remind_at.some((at) => Date.parse(at) === reminders[choice].at(task))}
              onToggle={() => void actions.save(task.id, { remind_at: toggleReminder(task, choice) })}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}

function Choice({ label, isChecked, onToggle }: { label: string; isChecked: boolean; onToggle: () => void }) {
  return (
    <label className="flex min-h-11 items-center gap-2.5 text-sm sm:min-h-8">
      <input type="checkbox" checked={isChecked} onChange={onToggle} className="size-4 accent-primary" />
      {label}
    </label>
  )
}
