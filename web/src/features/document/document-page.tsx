/** /documents/:documentId: a document beside what was read in it, who it is from, and what is to be done about it. */
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftIcon } from 'lucide-react'
import { Link, useNavigate, useParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { documentQuery } from '@/data/document'
import { DocumentSheet } from '@/features/document/document-sheet'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'
import { documentName } from '@/strings/document-name'

export default function DocumentPage() {
  const { id: userId } = useUser()
  const { documentId = '' } = useParams()
  const navigate = useNavigate()
  const query = useQuery(documentQuery(userId, documentId))

  useShortcut('Escape', () => {
    // What floats closes first.
    if (document.querySelector('[role=dialog], [role=menu]')) return
    const state = window.history.state as { idx?: number } | null
    if (state?.idx) void navigate(-1)
    else void navigate(paths.documents)
  })

  return (
    <div className="column grid max-w-[1600px] grid-cols-1 gap-3 py-3 print:block print:p-0">
      <Link
        to={paths.documents}
        aria-keyshortcuts="Escape"
        className="inline-flex min-h-11 items-center gap-2 justify-self-start rounded-md text-sm font-medium text-muted-foreground hover:text-foreground print:hidden"
      >
        <ArrowLeftIcon aria-hidden className="size-4" /> Documenti
      </Link>
      {query.isPending && <Loading />}
      {query.isError && !query.data && (
        <LoadError
          text="Non riusciamo a leggere questo documento. I tuoi file sono al sicuro: riprova tra un momento."
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data === null && <Unknown />}
      {query.data && (
        <>
          <PageTitle>{documentName(query.data)}</PageTitle>
          <DocumentSheet key={documentId} document={query.data} userId={userId} />
        </>
      )}
    </div>
  )
}

function Unknown() {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border px-6 py-12 text-center">
      <h1 className="text-xl font-semibold">Documento non trovato</h1>
      <p className="text-sm text-muted-foreground">Forse è stato eliminato, o il link è incompleto.</p>
      <Button asChild>
        <Link to={paths.documents}>Torna ai documenti</Link>
      </Button>
    </div>
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <Skeleton className="h-[70dvh]" />
      <Skeleton className="h-96 max-lg:hidden" />
    </div>
  )
}
