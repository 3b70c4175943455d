/** Asks before documents are deleted for good. Mounted only while open. */
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { useEraseDocuments } from '@/data/deletions'
import type { ListedDocument } from '@/data/documents'
import { longDay } from '@/strings/days'

type Props = {
  userId: string
  documents: readonly ListedDocument[]
  onErased: () => void
  onClose: () => void
}

export function EraseDialog({ userId, documents, onErased, onClose }: Props) {
  const erase = useEraseDocuments(userId, () => toast.error('Non siamo riusciti a eliminare: riprova'))
  const [first] = documents
  const what = documents.length === 1 && first ? `«${first.filename}»` : `${documents.length} documenti`
  const [today] = useState(() => new Date().toISOString().slice(0, 10))
  const kept = documents.flatMap(({ retention_until: until }) => (until && until > today ? [until] : []))
  const last = kept.toSorted().at(-1)

  return (
    <ConfirmDialog
      isOpen
      title={`Eliminare per sempre ${what}?`}
      text={
        <>
          Il file, il testo letto e i dati trovati spariscono dal server: non si torna indietro.
          {last && (
            <strong className="mt-2 block font-semibold text-foreground">
              {kept.length === 1
                ? `La legge chiede di conservarlo fino al ${longDay(last)}: scaricane una copia prima.`
                : `${kept.length} vanno conservati per legge, fino al ${longDay(last)}: scaricane una copia prima.`}
            </strong>
          )}
        </>
      }
      confirm="Elimina per sempre"
      isBusy={erase.isPending}
      onConfirm={() =>
        erase.mutate(
          documents.map(({ id }) => id),
          {
            onSuccess: () => {
              toast.success(documents.length === 1 ? 'Documento eliminato' : 'Documenti eliminati')
              onErased()
            },
            onSettled: onClose,
          },
        )
      }
      onClose={onClose}
    />
  )
}
