/**
 * The files on their way and the documents being read, until each is ready and put away: what went wrong and what moves
 * stand before what waits, and what is ready comes last.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'

import { Button } from '@/components/ui/button'
import { putAway, queueQuery } from '@/data/document-queue'
import { isBusy, type ListedDocument } from '@/data/documents'
import { useUploads } from '@/data/uploads'
import { ReadingRow } from '@/features/documents/reading-row'
import { UploadRow } from '@/features/documents/upload-row'
import { useTrash } from '@/features/documents/use-trash'

/** So many lines are shown before somebody asks for all: the list below must stay in reach. */
const SHOWN = 6
const UPLOADS_SHOWN = 4
/** So many documents of one ZIP are shown at once. */
const INSIDE_SHOWN = 5
/** What is ready stands in the list below: once is enough. */
const READY_SHOWN_MS = 8_000

export function Queue({ userId }: { userId: string }) {
  const client = useQueryClient()
  const uploads = useUploads()
  const { data: documents = [] } = useQuery(queueQuery(userId))
  const trash = useTrash(userId)
  const [showsAll, showAll] = useState(false)
  const ids = new Set(documents.map(({ id }) => id))
  const isInside = ({ parent_id: parent }: ListedDocument) => parent !== null && ids.has(parent)
  const sendingCount = uploads.filter(({ state }) => state !== 'failed').length
  const busyCount = sendingCount + documents.filter(({ state }) => isBusy(state)).length
  const ended = documents.filter(({ state }) => !isBusy(state))
  const ready = ended.filter(({ state, duplicate_of: original }) => state === 'pronto' && !original)

  const outer = documents.filter((document) => !isInside(document)).toSorted((a, b) => rankOf(a) - rankOf(b))
  const sending = uploads.toSorted((a, b) => Number(a.state === 'waiting') - Number(b.state === 'waiting'))
  const sendingShown = showsAll ? sending : sending.slice(0, UPLOADS_SHOWN)
  const shown = showsAll ? outer : outer.slice(0, SHOWN - sendingShown.length)
  const total = outer.length + sending.length

  usePutAwayWhenReady(busyCount === 0 ? ready.map(({ id }) => id) : [], (some) => putAway(client, userId, some))

  if (uploads.length === 0 && documents.length === 0) return null
  const row = (document: ListedDocument) => {
    const inside = documents.filter(({ parent_id: parent }) => parent === document.id)
    return (
      <ReadingRow
        key={document.id}
        userId={userId}
        document={document}
        onPutAway={(id) => putAway(client, userId, [id, ...inside.map((one) => one.id)])}
        onTrash={trash}
      >
        {inside.length > 0 && <Inside documents={inside} row={row} />}
      </ReadingRow>
    )
  }
  return (
    <section aria-labelledby="coda" className="grid gap-2">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2">
        <h2 id="coda" className="text-sm font-medium text-muted-foreground tabular">
          Coda{ready.length > 0 && ` · ${ready.length} di ${uploads.length + documents.length} pronti`}
        </h2>
        {ended.length > 1 && (
          <Button
            variant="ghost"
            size="sm"
            onClick={() =>
              putAway(
                client,
                userId,
                ended.map(({ id }) => id),
              )
            }
          >
            Togli i finiti
          </Button>
        )}
      </div>
      <ul aria-label="Coda" className="divide-y overflow-hidden rounded-md border bg-card">
        {sendingShown.map((item) => (
          <UploadRow key={item.id} item={item} />
        ))}
        {shown.map(row)}
      </ul>
      {total > SHOWN && (
        <Button variant="ghost" size="sm" className="justify-self-start" onClick={() => showAll(!showsAll)}>
          {showsAll ? 'Mostra meno' : `Mostra tutti (${total})`}
        </Button>
      )}
      <p role="status" className="sr-only">
        {busyCount === 0 ? 'Tutto letto' : ''}
      </p>
    </section>
  )
}

/** Where a document stands in the queue; those of one rank keep their order. */
function rankOf({ state, duplicate_of: original }: ListedDocument): number {
  if (state === 'in_coda') return 3
  if (isBusy(state)) return 1
  if (state === 'errore' || original) return 0
  return state === 'pronto' ? 4 : 2
}

type InsideProps = { documents: ListedDocument[]; row: (document: ListedDocument) => React.ReactNode }

/** What came out of a ZIP or a mail: what is at work or wants the person before what is ready. */
function Inside({ documents, row }: InsideProps) {
  const ready = documents.filter(({ state }) => state === 'pronto')
  const shown = documents.filter(({ state }) => state !== 'pronto').slice(0, INSIDE_SHOWN)
  return (
    <div className="border-t bg-muted/40">
      <p className="py-2 pr-4 pl-8 text-sm text-muted-foreground tabular sm:pl-14">
        Dentro: {ready.length} di {documents.length} pronti
      </p>
      {shown.length > 0 && <ul className="divide-y border-t pl-4 sm:pl-10">{shown.map(row)}</ul>}
    </div>
  )
}

/** Puts away `ids` a while after all of them are ready. */
function usePutAwayWhenReady(ids: string[], act: (ids: string[]) => void): void {
  const run = useEffectEvent(() => act(ids))
  const key = ids.join()
  useEffect(() => {
    if (!key) return undefined
    const timer = window.setTimeout(run, READY_SHOWN_MS)
    return () => window.clearTimeout(timer)
  }, [key])
}
