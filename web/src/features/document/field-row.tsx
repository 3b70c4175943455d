import { CheckIcon, LocateIcon, PencilIcon } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { type DocumentField, isSure } from '@/data/document-fields'
import { boxOf, type Place } from '@/features/document/places'
import { centsOf } from '@/lib/typed-amount'
import { fieldChoices, fieldLabel, fieldSources, fieldText, fieldType } from '@/strings/document-fields'
import { typedEuro } from '@/strings/numbers'

type Props = {
  field: DocumentField
  currency: string
  onConfirm: () => void
  /** Null takes the field away; without it the field cannot be changed. */
  onEdit: ((value: string | null) => void) | null
  onShow: (place: Place) => void
}

export function FieldRow({ field, currency, onConfirm, onEdit, onShow }: Props) {
  const [isEditing, setEditing] = useState(false)
  const { key, value, page, box, source } = field
  const area = boxOf(box)
  const name = fieldLabel(key)
  if (isEditing && onEdit)
    return (
      <li className="py-2">
        <EditField
          fieldKey={key}
          value={value}
          onRemove={() => {
            setEditing(false)
            onEdit(null)
          }}
          onSave={(next) => {
            setEditing(false)
            onEdit(next)
          }}
          onClose={() => setEditing(false)}
        />
      </li>
    )
  return (
    <li className="grid gap-1 py-2">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 grid-cols-1 flex-1 gap-0.5 pt-1">
          <span className="text-xs text-muted-foreground">{name}</span>
          <span className="text-sm font-medium break-words tabular">
            {value ? fieldText(key, value, currency) : '—'}
          </span>
        </div>
        {page !== null && (
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Dove: ${name}, pagina ${page}`}
            title="Dove"
            onClick={() => onShow({ page, boxes: area ? [area] : [] })}
          >
            <LocateIcon aria-hidden />
          </Button>
        )}
        {onEdit && (
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Correggi ${name}`}
            title="Correggi"
            onClick={() => setEditing(true)}
          >
            <PencilIcon aria-hidden />
          </Button>
        )}
        {!field.confirmed_at && source !== 'fatturapa' && value && (
          <Button variant="ghost" size="icon" aria-label={`Conferma ${name}`} title="Conferma" onClick={onConfirm}>
            <CheckIcon aria-hidden />
          </Button>
        )}
      </div>
      <Sureness field={field} />
    </li>
  )
}

/** In words with a bar beside them: a colour alone tells nothing. */
function Sureness({ field }: { field: DocumentField }) {
  const { confidence, confirmed_at: confirmed, source } = field
  const origin = fieldSources[source] ?? source
  if (confirmed) return <p className="text-xs text-muted-foreground">✓ confermato · {origin}</p>
  const sure = isSure(field)
  return (
    <p className="flex items-center gap-2 text-xs text-muted-foreground">
      <span aria-hidden className="h-1 w-10 overflow-hidden rounded-full bg-border">
        <span
          className={sure ? 'block h-full bg-success' : 'block h-full bg-terracotta'}
          style={{ width: `${Math.round((confidence ?? 0) * 100)}%` }}
        />
      </span>
      <span className={sure ? 'whitespace-nowrap' : 'font-medium whitespace-nowrap text-foreground'}>
        {sure ? 'sicuro' : 'da verificare'}
      </span>{' '}
      · {origin}
    </p>
  )
}

type EditProps = {
  fieldKey: string
  value: string | null
  onSave: (value: string) => void
  onRemove?: () => void
  onClose: () => void
}

/** One value to type, as the kind of field wants it. */
export function EditField({ fieldKey: key, value, onSave, onRemove, onClose }: EditProps) {
  const id = useId()
  const type = fieldType(key)
  const choices = fieldChoices(key, value)
  const first = value ?? choices[0] ?? ''
  const [typed, setTyped] = useState(type === 'money' && value ? typedEuro(Number(value)) : first)
  const [error, setError] = useState('')

  function send(event: FormEvent) {
    event.preventDefault()
    const cents = type === 'money' ? centsOf(typed) : null
    if (type === 'money' && cents === null) return setError('Scrivi un importo, per esempio 1.220,00.')
    const next = cents === null ? typed.replaceAll(/\s+/g, ' ').trim() : String(cents)
    if (!next) return setError('Scrivi un valore.')
    onSave(next)
  }

  return (
    <form className="grid gap-1.5" onSubmit={send}>
      <Label htmlFor={id}>{fieldLabel(key)}</Label>
      <div className="flex gap-2">
        {choices.length > 0 ? (
          <Select id={id} value={typed} onChange={(event) => setTyped(event.target.value)}>
            {choices.map((each) => (
              <option key={each} value={each}>
                {fieldText(key, each)}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            // The person has just asked for it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            id={id}
            type={type === 'day' ? 'date' : 'text'}
            inputMode={type === 'money' ? 'decimal' : undefined}
            maxLength={300}
            value={typed}
            aria-invalid={error !== ''}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              event.stopPropagation()
              onClose()
            }}
          />
        )}
        <Button>Salva</Button>
        {onRemove && (
          <Button type="button" variant="ghost" onClick={onRemove}>
            Togli
          </Button>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} className="text-sm text-error">
          {error}
        </p>
      )}
    </form>
  )
}
