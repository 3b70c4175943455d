/** How far the reading of a document is, what went wrong with it, and how to begin it anew. */
import { CircleAlertIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { Spinner } from '@/components/ui/spinner'
import type { WholeDocument } from '@/data/document'
import { useReading } from '@/data/document-queue'
import { isBusy } from '@/data/documents'
import { lostPagesLabel, readingLabel } from '@/strings/documents'

type Props = {
  document: WholeDocument
  userId: string
  /** How many of its pages could not be read. */
  lost: number
}

export function ReadingState({ document, userId, lost }: Props) {
  const { id, state, error, pages, pages_done: done } = document
  const reading = useReading(userId, () => toast.error('Non riusciamo a raggiungere il server: riprova'))

  if (isBusy(state))
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md border bg-card px-4 py-2 print:hidden">
        <Spinner aria-hidden className="size-4" />
        <p role="status" className="text-sm">
          {readingLabel({ state, pages, pages_done: done })}
        </p>
        <Progress aria-label="Avanzamento della lettura" value={done} max={pages ?? 1} className="min-w-24 flex-1" />
        <Button
          variant="ghost"
          size="sm"
          disabled={reading.isPending}
          onClick={() => reading.mutate({ id, action: 'cancel' })}
        >
          Interrompi
        </Button>
      </div>
    )
  const text =
    state === 'annullato'
      ? 'La lettura è stata interrotta: l’originale è conservato.'
      : state === 'errore'
        ? `${error ?? 'Non siamo riusciti a leggerlo.'} L’originale è conservato.`
        : lost > 0 && pages
          ? `${lostPagesLabel(lost, pages)}. ${error ?? ''}`.trim()
          : state === 'da_verificare'
            ? error
            : null
  if (!text) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-error-tint px-4 py-2 print:hidden">
      <CircleAlertIcon aria-hidden className="size-4 shrink-0 text-error" />
      <p className="min-w-0 flex-1 basis-60 text-sm">{text}</p>
      <Button
        variant="outline"
        size="sm"
        disabled={reading.isPending}
        onClick={() => reading.mutate({ id, action: 'retry' })}
      >
        {state === 'annullato' ? 'Leggi' : 'Riprova'}
      </Button>
    </div>
  )
}
