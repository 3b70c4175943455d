import { PencilIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/textarea'
import { LONGEST, SHORTEST } from '@/data/memories'

type Props = {
  text: string
  saveLabel: string
  onSave: (text: string) => Promise<unknown>
  /** The other things that can be done with it. */
  children: ReactNode
}

/** A fact in words, which can be put into other words. Esc leaves it as it was. */
export function EditableFact({ text, saveLabel, onSave, children }: Props) {
  const [draft, setDraft] = useState<string | null>(null)
  if (draft === null) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-52 flex-1 break-words">{text}</p>
        <div className="-ml-2 flex flex-wrap gap-1 sm:ml-0">
          {children}
          <Button size="icon" variant="ghost" aria-label={`Modifica: ${text}`} onClick={() => setDraft(text)}>
            <PencilIcon aria-hidden />
          </Button>
        </div>
      </div>
    )
  }
  return (
    <FactForm
      draft={draft}
      saveLabel={saveLabel}
      onChange={setDraft}
      onSave={() => void onSave(draft.trim()).then(() => setDraft(null))}
      onCancel={() => setDraft(null)}
    />
  )
}

type FormProps = {
  draft: string
  saveLabel: string
  onChange: (draft: string) => void
  onSave: () => void
  onCancel: () => void
}

function FactForm({ draft, saveLabel, onChange, onSave, onCancel }: FormProps) {
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
        <Button size="sm" type="submit" disabled={draft.trim().length < SHORTEST}>
          {saveLabel}
        </Button>
        <Button size="sm" type="button" variant="outline" onClick={onCancel}>
          Annulla
        </Button>
      </div>
    </form>
  )
}
