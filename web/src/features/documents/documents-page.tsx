/** /documents: bring files in, see what is stored, take it out again. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { FileTextIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { useHiddenDocuments } from '@/data/deletions'
import { documentsQuery, type StoredDocument } from '@/data/documents'
import { addUploads, useUploads } from '@/data/uploads'
import { DocumentList } from '@/features/documents/document-list'
import { DropZone } from '@/features/documents/drop-zone'
import { UploadList } from '@/features/documents/upload-list'
import { unfinishedUploads } from '@/lib/resumable-upload'

export default function DocumentsPage() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const query = useInfiniteQuery(documentsQuery(userId))
  const hidden = useHiddenDocuments()
  const uploads = useUploads()
  const documents = query.data?.filter(({ id }) => !hidden.has(id))

  const upload = (files: readonly File[]) =>
    addUploads({
      userId,
      files,
      storedNames: query.data?.map(({ name }) => name) ?? [],
      onArrival: () => void client.invalidateQueries(documentsQuery(userId)),
    })

  return (
    <div className="column grid max-w-4xl gap-6 py-6 sm:py-8">
      <PageTitle>Documenti</PageTitle>
      <h1 className="text-2xl font-semibold">Documenti</h1>
      <DropZone onFiles={upload} />
      {uploads.length === 0 && <Unfinished names={unfinishedUploads(userId)} />}
      {uploads.length > 0 && <UploadList items={uploads} />}
      <section aria-labelledby="archivio" className="grid gap-3">
        <h2 id="archivio" className="text-sm font-medium text-muted-foreground">
          Il tuo archivio
        </h2>
        {query.isPending && <Loading />}
        {query.isError && !query.data && (
          <LoadError
            text="Non riusciamo a leggere l’elenco dei documenti. I tuoi file sono al sicuro: riprova tra un momento."
            onRetry={() => void query.refetch()}
          />
        )}
        {documents && <Archive documents={documents} userId={userId} />}
        <MoreButton query={query}>Mostra altri documenti</MoreButton>
      </section>
    </div>
  )
}

/** After a reload the browser no longer has the file, only the person does. */
function Unfinished({ names }: { names: string[] }) {
  if (names.length === 0) return null
  return (
    <p className="rounded-md border bg-card px-4 py-3 text-sm break-words">
      {names.length === 1 ? 'Un caricamento si è interrotto' : 'Alcuni caricamenti si sono interrotti'}: scegli di nuovo{' '}
      <strong className="font-semibold">{names.join(', ')}</strong> e si riprende da dove eri.
    </p>
  )
}

function Archive({ documents, userId }: { documents: StoredDocument[]; userId: string }): ReactNode {
  if (documents.length > 0) return <DocumentList documents={documents} userId={userId} />
  return (
    <EmptyState
      icon={FileTextIcon}
      title="Ancora nessun documento"
      text="Fatture, contratti, ricevute: quello che carichi resta qui, lo vedi solo tu e lo riscarichi quando vuoi."
    />
  )
}

function Loading() {
  return (
    <div aria-busy className="divide-y rounded-md border bg-card">
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="flex items-center gap-4 p-4">
          <Skeleton className="size-6" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-1/4" />
          </div>
        </div>
      ))}
    </div>
  )
}
