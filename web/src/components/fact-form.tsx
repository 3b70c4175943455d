import { useEffect, useRef } from 'react'

import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/textarea'
import { LONGEST, SHORTEST } from '@/data/memories'

type Props = {
  draft: string
  saveLabel: string
  isBusy?: boolean
  onChange: (draft: string) => void
  onSave: () => void
  onCancel: () => void
}

/** A fact to be put into other words. Esc leaves it as it was. */
export function FactForm({ draft, saveLabel, isBusy = false, onChange, onSave, onCancel }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      <Textarea
        ref={field}
        rows={2}
        aria-label="Il ricordo"
        maxLength={LONGEST}
        value={draft}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      />
      <div className="flex gap-2">
        <Button size="sm" type="submit" disabled={isBusy || draft.trim().length < SHORTEST}>
          {saveLabel}
        </Button>
        <Button size="sm" type="button" variant="outline" onClick={onCancel}>
          Annulla
        </Button>
      </div>
    </form>
  )
}
