import { PencilIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'

import { FactForm } from '@/components/fact-form'
import { Button } from '@/components/ui/button'

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
