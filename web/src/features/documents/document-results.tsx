/** What the list answers, in its four states, with the selection and what can be done with it. */
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { FilterXIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { useRestoreDocuments } from '@/data/deletions'
import { queueQuery, useReading } from '@/data/document-queue'
import { documentsQuery, insideQuery, type ListedDocument } from '@/data/documents'
import { type DocumentWish, filterCount } from '@/data/documents-wish'
import { type DocumentLine, DocumentTable } from '@/features/documents/document-table'
import { EmptyDocuments } from '@/features/documents/empty-documents'
import { EraseDialog } from '@/features/documents/erase-dialog'
import { LoadingRows } from '@/features/documents/loading-rows'
import { RenameDialog } from '@/features/documents/rename-dialog'
import { SelectionBar } from '@/features/documents/selection-bar'
import { useTrash } from '@/features/documents/use-trash'

type Props = {
  userId: string
  wish: DocumentWish
  onClear: () => void
  onChoose: () => void
  onSample: () => void
}

type Asking = { what: 'rename'; document: ListedDocument } | { what: 'erase'; documents: ListedDocument[] }

export function DocumentResults({ userId, wish, onClear, onChoose, onSample }: Props) {
  const { query, lines, toggleOpen } = useLines(userId, wish)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [asking, setAsking] = useState<Asking | null>(null)
  const trash = useTrash(userId)
  const restore = useRestoreDocuments(userId, () => toast.error('Non siamo riusciti a ripristinare: riprova'))
  const reading = useReading(userId, () => toast.error('Non siamo riusciti a riprovare: aspetta un momento'))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query

  if (query.isPending) return <LoadingRows />
  if (!query.data)
    return (
      <LoadError
        text="Non riusciamo a leggere l’elenco dei documenti. I tuoi file sono al sicuro: riprova tra un momento."
        onRetry={() => void query.refetch()}
      />
    )
  if (lines.length === 0) return <Nothing wish={wish} onClear={onClear} onChoose={onChoose} onSample={onSample} />

  // What has left the list is no longer meant by what is chosen in it.
  const chosen = lines.map(({ document }) => document).filter(({ id }) => selected.has(id))
  const unselect = () => setSelected(new Set())
  const restoreAll = (documents: readonly ListedDocument[]) => {
    restore.mutate(documents.map(({ id }) => id))
    toast(documents.length === 1 ? 'Documento ripristinato' : `${documents.length} documenti ripristinati`)
  }

  function toggle(id: string) {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }

  return (
    <>
      {chosen.length > 0 && (
        <SelectionBar
          userId={userId}
          documents={chosen}
          total={lines.length}
          isTrash={wish.isTrash}
          onAll={() => setSelected(new Set(lines.map(({ document }) => document.id)))}
          onTrash={() => {
            trash(chosen.map(({ id }) => id))
            unselect()
          }}
          onRestore={() => {
            restoreAll(chosen)
            unselect()
          }}
          onErase={() => setAsking({ what: 'erase', documents: chosen })}
          onClear={unselect}
        />
      )}
      <DocumentTable
        label={wish.isTrash ? 'Cestino' : 'Documenti'}
        lines={lines}
        selected={selected}
        actions={{
          onRename: (document) => setAsking({ what: 'rename', document }),
          onRetry: ({ id }) => reading.mutate({ id, action: 'retry' }),
          onTrash: ({ id, filename }) => trash([id], filename),
          onRestore: (document) => restoreAll([document]),
          onErase: (document) => setAsking({ what: 'erase', documents: [document] }),
        }}
        onSelect={toggle}
        onToggle={toggleOpen}
        onEnd={() => {
          if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
        }}
      />
      {isFetchingNextPage && <p className="text-sm text-muted-foreground">Carico altri documenti…</p>}
      <p className={clsx('hidden text-xs text-muted-foreground', !wish.isTrash && 'lg:block')}>
        <Kbd>n</Kbd> carica, <Kbd>/</Kbd> cerca, <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>Invio</Kbd> apre,{' '}
        <Kbd>x</Kbd> seleziona, <Kbd>Canc</Kbd> elimina
      </p>
      {asking?.what === 'rename' && (
        <RenameDialog userId={userId} document={asking.document} onClose={() => setAsking(null)} />
      )}
      {asking?.what === 'erase' && (
        <EraseDialog userId={userId} documents={asking.documents} onErased={unselect} onClose={() => setAsking(null)} />
      )}
    </>
  )
}

/** The documents with, below each that was opened, those that lie in it; as fresh as the queue knows them. */
function useLines(userId: string, wish: DocumentWish) {
  const query = useInfiniteQuery({
    ...documentsQuery(userId, wish),
    // The last answer stays until the next one is there.
    placeholderData: (previous) => previous,
  })
  const { data: queue = [] } = useQuery(queueQuery(userId))
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const opened = [...open]
  const inside = useQueries({ queries: opened.map((id) => insideQuery(userId, id)) })
  const fresh = new Map(queue.map((document) => [document.id, document]))

  const asNow = (document: ListedDocument): ListedDocument => Object.assign({}, document, fresh.get(document.id))

  const lines: DocumentLine[] = []
  const documents = query.data ?? []
  const ids = new Set(documents.map(({ id }) => id))
  for (const document of documents) {
    // In the trash what lies in a document is meant with it.
    if (wish.isTrash && document.parent_id && ids.has(document.parent_id)) continue
    const isOpen = document.holds && !wish.isTrash ? open.has(document.id) : null
    lines.push({ document: asNow(document), isInside: false, isOpen })
    const children = isOpen ? (inside[opened.indexOf(document.id)]?.data ?? []) : []
    for (const child of children) lines.push({ document: asNow(child), isInside: true, isOpen: null })
  }

  function toggleOpen(id: string) {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }

  return { query, lines, toggleOpen }
}

type NothingProps = Omit<Props, 'userId'>

function Nothing({ wish, onClear, onChoose, onSample }: NothingProps) {
  if (filterCount(wish) > 0)
    return (
      <EmptyState icon={FilterXIcon} title="Nessun documento con questi filtri" isAnswer>
        <Button variant="outline" onClick={onClear}>
          Togli i filtri
        </Button>
      </EmptyState>
    )
  if (wish.isTrash)
    return (
      <EmptyState
        icon={Trash2Icon}
        title="Il cestino è vuoto"
        text="Quello che elimini resta qui 30 giorni, poi sparisce da solo."
      />
    )
  return <EmptyDocuments onChoose={onChoose} onSample={onSample} />
}
