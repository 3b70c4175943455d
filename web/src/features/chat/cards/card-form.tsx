/** The proposal to be corrected before it is approved, by the arguments of its tool. */
import { type FormEvent, useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import type { Field } from '@/features/chat/cards/tools'

type Props = {
  fields: readonly Field[]
  args: Record<string, unknown>
  /** What the server refused, by field. */
  errors: Record<string, string>
  isBusy: boolean
  onSend: (args: Record<string, unknown>) => void
  onClose: () => void
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

export function CardForm({ fields, args, errors, isBusy, onSend, onClose }: Props) {
  const [values, setValues] = useState(() => Object.fromEntries(fields.map(({ name }) => [name, textOf(args[name])])))

  function send(event: FormEvent) {
    event.preventDefault()
    // An emptied field that was never filled stays away, so that the server does not take '' for an address.
    const edited = Object.entries(values).map(([name, value]) => [name, value.trim() || null] as const)
    onSend({ ...args, ...Object.fromEntries(edited) })
  }

  return (
    <form noValidate className="grid grid-cols-1 gap-3" onSubmit={send}>
      {fields.map((field, index) => (
        <CardField
          key={field.name}
          field={field}
          isFirst={index === 0}
          value={values[field.name] ?? ''}
          error={errors[field.name]}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
          onClose={onClose}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={isBusy}>
          {isBusy && <Spinner aria-hidden />}
          Approva così
        </Button>
        <Button size="sm" type="button" variant="outline" onClick={onClose}>
          Lascia com’era
        </Button>
      </div>
    </form>
  )
}

type FieldProps = {
  field: Field
  isFirst: boolean
  value: string
  error: string | undefined
  onChange: (value: string) => void
  onClose: () => void
}

const focus = (field: HTMLElement | null) => field?.focus()

function CardField({ field: { label, kind, longest }, isFirst, value, error, onChange, onClose }: FieldProps) {
  const id = useId()
  const shared = {
    id,
    value,
    maxLength: longest,
    ref: isFirst ? focus : undefined,
    'aria-invalid': Boolean(error),
    'aria-describedby': error ? `${id}-error` : undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    onKeyDown: (event: { key: string }) => {
      if (event.key === 'Escape') onClose()
    },
  }
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      {kind === 'text' ? (
        <Textarea {...shared} className="field-sizing-content max-h-96" />
      ) : (
        <Input {...shared} type={kind === 'line' ? 'text' : kind} autoComplete="off" />
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
    </div>
  )
}
