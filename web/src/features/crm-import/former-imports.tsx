/** The imports so far: what each did, going on with one that was cut off, taking one back. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { batchesQuery, type ImportBatch } from '@/data/imports'
import { UndoImport } from '@/features/crm-import/undo-import'
import { fullDate, relativeTime } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'

type Props = {
  userId: string
  /** The one that is under way here, which has its own card. */
  runningId: string | null
  onResume: (batch: ImportBatch) => void
}

export function FormerImports({ userId, runningId, onResume }: Props) {
  const { data: batches, isPending, isError, refetch } = useQuery(batchesQuery(userId))
  const data = batches?.filter(({ id }) => id !== runningId)
  const [undoing, setUndoing] = useState<ImportBatch | null>(null)
  return (
    <section aria-labelledby="precedenti" className="grid gap-3">
      <h2 id="precedenti" className="text-sm font-medium text-muted-foreground">
        Importazioni precedenti
      </h2>
      {isPending && <Skeleton aria-busy className="h-16" />}
      {isError && !data && (
        <LoadError text="Non riusciamo a leggere le importazioni precedenti." onRetry={() => void refetch()} />
      )}
      {data?.length === 0 && <p className="text-sm text-muted-foreground">Ancora nessuna.</p>}
      {data && data.length > 0 && (
        <ul aria-label="Importazioni precedenti" className="divide-y rounded-md border bg-card">
          {data.map((batch) => (
            <BatchRow key={batch.id} batch={batch} onResume={onResume} onUndo={() => setUndoing(batch)} />
          ))}
        </ul>
      )}
      {undoing && (
        <UndoImport
          batchId={undoing.id}
          fileName={undoing.file_name}
          onClose={() => setUndoing(null)}
          onUndone={() => setUndoing(null)}
        />
      )}
    </section>
  )
}

type RowProps = { batch: ImportBatch; onResume: (batch: ImportBatch) => void; onUndo: () => void }

function BatchRow({ batch, onResume, onUndo }: RowProps) {
  const { file_name, created_at, state } = batch
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-3 pr-2 pl-4 text-sm">
      <div className="grid min-w-0 gap-0.5">
        <span className="font-medium break-words">{file_name}</span>
        <span className="text-muted-foreground tabular">
          <time dateTime={created_at} title={fullDate(created_at)}>
            {relativeTime(created_at)}
          </time>
          {' · '}
          {outcome(batch)}
        </span>
      </div>
      <div className="flex flex-wrap gap-1">
        {state === 'in_corso' && (
          <Button variant="ghost" aria-label={`Riprendi ${file_name}`} onClick={() => onResume(batch)}>
            Riprendi
          </Button>
        )}
        {state !== 'annullato' && (
          <Button
            variant="ghost"
            className="text-error"
            aria-label={`Annulla importazione di ${file_name}`}
            onClick={onUndo}
          >
            Annulla importazione
          </Button>
        )}
      </div>
    </li>
  )
}

function outcome({ state, total, created, updated, skipped, failed, rejected }: ImportBatch): string {
  if (state === 'annullato') return 'annullata'
  const done = created + updated + skipped + failed
  // What could not be sent, and what the server refused.
  const left = failed + rejected
  if (state === 'in_corso') return `interrotta a ${formatCount(done)} di ${formatCount(total)}`
  return [
    `${formatCount(created)} ${created === 1 ? 'aggiunto' : 'aggiunti'}`,
    updated > 0 ? `${formatCount(updated)} ${updated === 1 ? 'aggiornato' : 'aggiornati'}` : [],
    skipped > 0 ? `${formatCount(skipped)} ${skipped === 1 ? 'saltato' : 'saltati'}` : [],
    left > 0 ? `${formatCount(left)} ${left === 1 ? 'scartato' : 'scartati'}` : [],
  ]
    .flat()
    .join(', ')
}
