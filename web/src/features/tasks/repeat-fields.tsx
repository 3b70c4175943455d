/** How a task repeats, and what can be done to its series. */
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { useSkipOccurrence, useStopSeries } from '@/data/task-changes'
import type { Task } from '@/data/tasks'
import { datesOf, DUE_RANGE, dueText } from '@/features/tasks/model'
import { type Frequency, readRule, type Rule, simplest, weekdayCodes, writeRule } from '@/features/tasks/rule'
import { SelectField } from '@/features/tasks/select-field'
import { TypedField } from '@/features/tasks/typed-field'
import { tellFailure } from '@/components/save-failure'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { describeRule } from '@/lib/quick-add/describe'
import { instantOf, romeDay, wallTime } from '@/lib/rome-time'
import { weekdays } from '@/strings/tasks'

type Props = { userId: string; task: Task; actions: TaskActions }

const frequencies: Record<Frequency, { label: string; unit: string }> = {
  DAILY: { label: 'Ogni giorno', unit: 'giorni' },
  WEEKLY: { label: 'Ogni settimana', unit: 'settimane' },
  MONTHLY: { label: 'Ogni mese', unit: 'mesi' },
  YEARLY: { label: 'Ogni anno', unit: 'anni' },
}

export function RepeatFields({ userId, task, actions }: Props) {
  const rule = task.rrule ? readRule(task.rrule) : null

  function save(next: Rule | null) {
    void actions.save(task.id, {
      rrule: next && writeRule(next),
      // Without a day there is nothing to count from.
      ...(next && !task.due_at && { due_at: instantOf(romeDay(new Date())), due_is_allday: true, someday: false }),
    })
  }

  return (
    <div className="grid gap-3">
      <SelectField
        label="Si ripete"
        value={rule?.frequency ?? ''}
        onChange={(event) => save(event.target.value ? simplest(event.target.value as Frequency) : null)}
      >
        <option value="">Mai</option>
        {Object.entries(frequencies).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {rule && task.rrule && (
        <>
          <Details rule={rule} onSave={save} />
          <SelectField
            label="La prossima si conta"
            value={task.repeat_from}
            onChange={(event) => void actions.save(task.id, { repeat_from: event.target.value as Task['repeat_from'] })}
          >
            <option value="scadenza">dalla scadenza</option>
            <option value="completamento">da quando la completi</option>
          </SelectField>
          <p className="text-sm text-muted-foreground">{describeRule(task.rrule)}</p>
          {task.state !== 'fatto' && <SeriesButtons userId={userId} task={task} />}
        </>
      )}
    </div>
  )
}

function Details({ rule, onSave }: { rule: Rule; onSave: (rule: Rule) => void }) {
  const { frequency } = rule
  const ending = rule.count ? 'count' : rule.until ? 'until' : ''
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label={`Intervallo in ${frequencies[frequency].unit}`}
          value={rule.interval}
          onSave={(interval) => onSave({ ...rule, interval })}
        />
        {frequency === 'MONTHLY' && (
          <SelectField
            label="Giorno"
            value={rule.monthDay}
            onChange={(event) => onSave({ ...rule, monthDay: event.target.value })}
          >
            <option value="">della scadenza</option>
            <option value="1">il primo</option>
            <option value="-1">l’ultimo</option>
            <option value="1MO">il primo lunedì</option>
            <option value="-1FR">l’ultimo venerdì</option>
            {!['', '1', '-1', '1MO', '-1FR'].includes(rule.monthDay) && <option value={rule.monthDay}>come ora</option>}
          </SelectField>
        )}
      </div>
      {frequency === 'WEEKLY' && (
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Giorni</legend>
          <div className="grid grid-cols-7 gap-1">
            {weekdayCodes.map((code, index) => {
              const isOn = rule.weekdays.includes(code)
              const left = rule.weekdays.filter((one) => one !== code)
              return (
                <label
                  key={code}
                  className="grid min-h-11 cursor-pointer place-items-center rounded-md border border-input text-sm has-checked:border-primary has-checked:bg-secondary has-checked:text-secondary-foreground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
                >
                  <input
                    type="checkbox"
                    checked={isOn}
                    onChange={() => onSave({ ...rule, weekdays: isOn ? left : [...left, code] })}
                    className="sr-only"
                  />
                  <span aria-hidden>{weekdays[index]?.slice(0, 3)}</span>
                  <span className="sr-only">{weekdays[index]}</span>
                </label>
              )
            })}
          </div>
        </fieldset>
      )}
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Fino a"
          value={ending}
          onChange={(event) =>
            onSave({
              ...rule,
              count: event.target.value === 'count' ? 10 : null,
              until: event.target.value === 'until' ? romeDay(new Date(Date.now() + 90 * 86_400_000)) : '',
            })
          }
        >
          <option value="">sempre</option>
          <option value="until">una data</option>
          <option value="count">un numero di volte</option>
        </SelectField>
        {ending === 'count' && (
          <NumberField label="Volte" value={rule.count ?? 1} onSave={(count) => onSave({ ...rule, count })} />
        )}
        {ending === 'until' && (
          <TypedField
            label="Ultimo giorno"
            type="date"
            {...DUE_RANGE}
            value={rule.until}
            onSave={(until) => onSave({ ...rule, until })}
          />
        )}
      </div>
    </>
  )
}

type NumberProps = { label: string; value: number; onSave: (value: number) => void }

function NumberField({ label, value, onSave }: NumberProps) {
  return (
    <TypedField
      label={label}
      type="number"
      inputMode="numeric"
      min={1}
      max={999}
      value={String(value)}
      onSave={(typed) => onSave(Number(typed))}
    />
  )
}

function SeriesButtons({ userId, task }: { userId: string; task: Task }) {
  const skip = useSkipOccurrence(userId)
  const stop = useStopSeries(userId)

  async function skipOnce() {
    try {
      const { next } = await skip.mutateAsync(task.id)
      const { day, time } = next ? datesOf(next) : { day: null, time: null }
      toast(day ? `Saltata: prossima ${dueText(day, time, wallTime(new Date()))}` : 'Saltata: era l’ultima della serie')
    } catch (error) {
      tellFailure(error)
    }
  }

  async function stopNow() {
    try {
      await stop.mutateAsync(task.id)
      toast('Non si ripete più', { description: 'Questa attività resta, ed è l’ultima.' })
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="outline" size="sm" disabled={skip.isPending} onClick={() => void skipOnce()}>
        Salta questa volta
      </Button>
      <Button variant="outline" size="sm" disabled={stop.isPending} onClick={() => void stopNow()}>
        Ferma la serie
      </Button>
    </div>
  )
}
