import { useId } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { useChangeDocument, type WholeDocument } from '@/data/document'
import { dayAndMonth } from '@/strings/dates'
import { retentionReasons } from '@/strings/document-fields'

const failed = () => toast.error('Non siamo riusciti a salvare la data: riprova')

/** Until when a document has to be kept, and why. */
export function RetentionCard({ document, userId }: { document: WholeDocument; userId: string }) {
  const id = useId()
  const change = useChangeDocument(userId, document.id)
  const { retention_until: until, kind } = document

  function save(next: string | null) {
    change.mutate(
      { retention_until: next },
      {
        onError: failed,
        onSuccess: () =>
          toast.success('Conservazione cambiata', {
            action: { label: 'Annulla', onClick: () => change.mutate({ retention_until: until }, { onError: failed }) },
          }),
      },
    )
  }

  return (
    <Card className="gap-2">
      <Label htmlFor={id} className="text-base font-semibold">
        Conservazione
      </Label>
      <p id={`${id}-why`} className="text-sm text-muted-foreground">
        {until
          ? `Da conservare fino al ${dayAndMonth(until)}. ${retentionReasons[kind]}`
          : 'Resta finché non lo elimini.'}
      </p>
      <div className="flex gap-2">
        <Input
          key={until}
          id={id}
          type="date"
          aria-describedby={`${id}-why`}
          defaultValue={until ?? ''}
          onBlur={({ target: { value } }) => value && value !== until && save(value)}
        />
        {until && (
          <Button variant="outline" onClick={() => save(null)}>
            Senza data
          </Button>
        )}
      </div>
    </Card>
  )
}
