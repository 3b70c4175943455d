/** One document being read, or read in this visit: how far it is and what can be done. */
import { useQuery } from '@tanstack/react-query'
import { CheckIcon, CircleAlertIcon, CopyIcon, RotateCwIcon, XIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { useReading } from '@/data/document-queue'
import { documentNameQuery, isBusy, type ListedDocument } from '@/data/documents'
import { DocumentIcon } from '@/features/documents/document-icon'
import { QueueAction } from '@/features/documents/queue-action'
import { RegisterNote } from '@/features/documents/register-note'
import { paths } from '@/paths'
import { readingLabel } from '@/strings/documents'

type Props = {
  userId: string
  document: ListedDocument
  onPutAway: (id: string) => void
  onTrash: (ids: string[], name: string) => void
  /** The lines of what lies in it. */
  children?: ReactNode
}

export function ReadingRow({ userId, document, onPutAway, onTrash, children }: Props) {
  const { id, filename, state, pages, pages_done: done, duplicate_of: original } = document
  const reading = useReading(userId, ({ action }) =>
    toast.error(
      action === 'retry'
        ? 'Non siamo riusciti a riprovare: aspetta un momento'
        : 'Non siamo riusciti ad annullare: riprova',
      { description: filename },
    ),
  )
  const isWorking = isBusy(state)
  const isCopy = original !== null && !isWorking
  return (
    <li>
      <div className="flex items-center gap-3 py-3 pr-1.5 pl-4 sm:gap-4 sm:pr-2.5">
        <DocumentIcon name={filename} className="hidden sm:block" />
        <div className="grid min-w-0 flex-1 gap-1.5">
          <Link
            to={paths.document(id)}
            title={filename}
            className="truncate rounded-sm font-medium hover:underline focus-visible:-outline-offset-2"
          >
            {filename}
          </Link>
          {isWorking && pages !== null && pages > 1 && (
            <Progress value={done} max={pages} aria-label={`Lettura di ${filename}`} />
          )}
          <Status userId={userId} document={document} />
          {document.kind === 'fattura' && !isWorking && !isCopy && <RegisterNote userId={userId} documentId={id} />}
          {isCopy && (
            <div className="flex flex-wrap items-center gap-2">
              <Button variant="outline" size="sm" asChild>
                <Link to={paths.document(original)}>Apri quello che hai</Link>
              </Button>
              <Button variant="outline" size="sm" onClick={() => onTrash([id], filename)}>
                Elimina questa copia
              </Button>
            </div>
          )}
        </div>
        <div className="flex shrink-0">
          {(state === 'errore' || state === 'annullato') && (
            <QueueAction
              icon={RotateCwIcon}
              label="Riprova"
              name={filename}
              onClick={() => reading.mutate({ id, action: 'retry' })}
            />
          )}
          {isWorking ? (
            <QueueAction
              icon={XIcon}
              label="Annulla lettura"
              name={filename}
              onClick={() => reading.mutate({ id, action: 'cancel' })}
            />
          ) : (
            <QueueAction icon={XIcon} label="Togli dalla coda" name={filename} onClick={() => onPutAway(id)} />
          )}
        </div>
      </div>
      {children}
    </li>
  )
}

function Status({ userId, document }: Pick<Props, 'userId' | 'document'>) {
  const { state, error, duplicate_of: original } = document
  if (state === 'errore')
    return (
      <p role="alert" className="flex gap-1.5 text-sm text-error">
        <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
        {error ?? 'Non siamo riusciti a leggerlo: riprova.'}
      </p>
    )
  if (original && !isBusy(state)) return <Copy userId={userId} original={original} />
  if (state === 'pronto' || state === 'da_verificare')
    return (
      <p className="flex gap-1.5 text-sm text-success">
        <CheckIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
        {state === 'pronto' ? (
          'Pronto'
        ) : (
          <span className="text-foreground">Da verificare: controlla i campi letti</span>
        )}
      </p>
    )
  return <p className="text-sm text-muted-foreground tabular">{readingLabel(document)}</p>
}

function Copy({ userId, original }: { userId: string; original: string }) {
  const { data } = useQuery(documentNameQuery(userId, original))
  return (
    <p className="flex gap-1.5 text-sm">
      <CopyIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
      <span className="min-w-0 break-words">
        Ce l’hai già{data && `: è identico a «${data.filename}»${data.deleted_at ? ', che è nel cestino' : ''}`}.
      </span>
    </p>
  )
}
