/** A date, an hour or a number that is saved once it is whole: what is still being typed is kept here. */
import { type ComponentProps, useId, useRef } from 'react'

import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { useDraft } from '@/features/tasks/use-draft'

type Props = Pick<ComponentProps<'input'>, 'min' | 'max' | 'inputMode' | 'disabled'> & {
  label: string
  type: 'date' | 'time' | 'number'
  value: string
  onSave: (value: string) => void
}

/** Emptying it saves nothing: while a date is typed over, the browser says that it is empty. */
export function TypedField({ label, value, onSave, ...props }: Props) {
  const id = useId()
  const draft = useDraft(value, onSave)
  // Without a key it was the browser's calendar, or its arrows, and what is chosen there is whole.
  const hasKeys = useRef(false)

  return (
    <div className="grid content-start gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Input
        id={id}
        value={draft.text}
        onPointerDown={() => (hasKeys.current = false)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') draft.leave()
          else hasKeys.current = true
        }}
        onChange={({ target }) => {
          const isWhole = target.value !== '' && target.validity.valid
          if (!isWhole || hasKeys.current) return draft.write(target.value, isWhole)
          draft.discard()
          onSave(target.value)
        }}
        onBlur={({ target }) => {
          draft.leave()
          hasKeys.current = false
          // Half a date that was typed where there was none.
          if (target.validity.badInput) target.value = value
        }}
        {...props}
      />
    </div>
  )
}
