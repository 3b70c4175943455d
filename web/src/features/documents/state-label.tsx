import { CircleAlertIcon } from 'lucide-react'

import { Badge } from '@/components/ui/badge'
import { Spinner } from '@/components/ui/spinner'
import { isBusy, type ListedDocument } from '@/data/documents'
import { documentStateLabels } from '@/strings/documents'

/** How far a document is, in a word; what needs the person stands out. */
export function StateLabel({ state }: Pick<ListedDocument, 'state'>) {
  const label = documentStateLabels[state]
  if (state === 'da_verificare') return <Badge variant="notice">{label}</Badge>
  if (state === 'errore')
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-error">
        <CircleAlertIcon aria-hidden className="size-4 shrink-0" /> {label}
      </span>
    )
  return (
    <span className="inline-flex items-center gap-1.5 text-muted-foreground">
      {isBusy(state) && state !== 'in_coda' && <Spinner aria-hidden className="size-3.5" />}
      {label}
    </span>
  )
}
