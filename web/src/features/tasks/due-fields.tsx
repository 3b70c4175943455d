/** When a task is due, on the clock in Italy, and what reminds of it. */
import { XIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import type { Task } from '@/data/tasks'
import { datesOf, DUE_RANGE } from '@/features/tasks/model'
import { movedReminders, reminderChoices, reminders, toggleReminder } from '@/features/tasks/reminders'
import { TypedField } from '@/features/tasks/typed-field'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { instantOf } from '@/lib/rome-time'

export function DueFields({ task, actions }: { task: Task; actions: TaskActions }) {
  const { day, time } = datesOf(task)

  function put(nextDay: string, nextTime: string | null) {
    const due = { due_at: instantOf(nextTime ? `${nextDay}T${nextTime}` : nextDay), due_is_allday: !nextTime }
    void actions.save(task.id, { ...due, remind_at: movedReminders(task, due), someday: false })
  }

  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-2 gap-x-3 gap-y-1">
        <TypedField
          label="Scadenza"
          type="date"
          {...DUE_RANGE}
          value={day ?? ''}
          onSave={(typed) => put(typed, time)}
        />
        <TypedField
          label="Ora"
          type="time"
          disabled={!day}
          value={time ?? ''}
          onSave={(typed) => day && put(day, typed)}
        />
        {day && (
          <Button
            variant="ghost"
            size="sm"
            className="justify-self-start"
            onClick={() => void actions.moveAllTo([task], null)}
          >
            <XIcon aria-hidden /> Togli la data
          </Button>
        )}
        {day && time && (
          <Button variant="ghost" size="sm" className="justify-self-start" onClick={() => put(day, null)}>
            <XIcon aria-hidden /> Togli l’ora
          </Button>
        )}
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
