import { useId, useState } from 'react'
import { toast } from 'sonner'

import { Card } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Textarea } from '@/components/ui/textarea'
import { useChangeDocument, type WholeDocument } from '@/data/document'

/** A note of one's own, saved when it is left. */
export function NoteCard({ document, userId }: { document: WholeDocument; userId: string }) {
  const id = useId()
  const [draft, setDraft] = useState<string | null>(null)
  const change = useChangeDocument(userId, document.id)

  function leave() {
    const note = draft?.trim()
    if (note === undefined || note === (document.note ?? '')) return setDraft(null)
    change.mutate(
      { note: note || null },
      {
        // What was typed stays on the screen until it is saved.
        onSuccess: () => setDraft(null),
        onError: () => toast.error('Non siamo riusciti a salvare la nota: riprova'),
      },
    )
  }

  return (
    <Card className="gap-2">
      <Label htmlFor={id} className="text-base font-semibold">
        Note
      </Label>
      <Textarea
        id={id}
        rows={3}
        maxLength={10_000}
        placeholder="Quello che vuoi ricordare di questo documento"
        value={draft ?? document.note ?? ''}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={leave}
      />
    </Card>
  )
}
