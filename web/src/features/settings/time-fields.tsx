/** Hours and time zones in the settings, saved at once. */
import { useId } from 'react'

import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'

type HourProps = { label: string; value: string | null; onSave: (value: string) => void }

/** Saves when it is left: on the way to 22:30 a keyboard passes through other hours. */
export function Hour({ label, value, onSave }: HourProps) {
  const id = useId()
  const shown = value?.slice(0, 5) ?? ''
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Input
        key={shown}
        id={id}
        type="time"
        required
        defaultValue={shown}
        onBlur={({ target }) => {
          if (target.value && target.value !== shown) onSave(target.value)
        }}
      />
    </div>
  )
}

export function Zone({ zone, onSave }: { zone: string; onSave: (zone: string) => void }) {
  const id = useId()
  const zones = new Set([zone, 'Europe/Rome', ...Intl.supportedValuesOf('timeZone')])
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>Fuso orario</Label>
      <Select id={id} value={zone} onChange={({ target }) => onSave(target.value)}>
        {[...zones].toSorted().map((name) => (
          <option key={name} value={name}>
            {name.replaceAll('_', ' ')}
          </option>
        ))}
      </Select>
    </div>
  )
}
