import { useId } from 'react'
import { toast } from 'sonner'

import { Card } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { useChooseKind, type WholeDocument } from '@/data/document'
import { SURE } from '@/data/document-fields'
import { documentKindLabels } from '@/strings/documents'

type Kind = WholeDocument['kind']

const failed = () => toast.error('Non siamo riusciti a cambiare il tipo: riprova')

/** What the document is, with the rule that said so; the person's choice is never overwritten. */
export function KindCard({ document, userId }: { document: WholeDocument; userId: string }) {
  const id = useId()
  const choose = useChooseKind(userId, document.id)
  const { kind, kind_rule: rule, kind_by_user: isChosen, kind_confidence: confidence } = document

  function change(next: Kind) {
    choose.mutate(next, {
      onError: failed,
      onSuccess: () =>
        toast.success(`Tipo: ${documentKindLabels[next]}`, {
          action: { label: 'Annulla', onClick: () => choose.mutate(kind, { onError: failed }) },
        }),
    })
  }

  return (
    <Card className="gap-2">
      <Label htmlFor={id} className="text-base font-semibold">
        Tipo
      </Label>
      <Select
        id={id}
        value={kind}
        aria-describedby={`${id}-why`}
        onChange={(event) => change(event.target.value as Kind)}
      >
        {Object.entries(documentKindLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <p id={`${id}-why`} className="text-sm text-muted-foreground">
        {isChosen
          ? 'Lo hai scelto tu.'
          : rule
            ? `${(confidence ?? 0) >= SURE || kind === 'altro' ? '' : 'Forse. '}${rule}.`
            : kind === 'altro'
              ? 'Nessuna regola lo riconosce: se lo sai, sceglilo tu.'
              : ''}
      </p>
    </Card>
  )
}
