/** What a search found: each document with the sentences that hold the words, and the page where they stand. */
import { useQuery } from '@tanstack/react-query'
import { SearchXIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { type FoundDocument, documentSearchQuery } from '@/data/document-search'
import { type DocumentFilter, filterCount } from '@/data/documents-wish'
import { DocumentIcon } from '@/features/documents/document-icon'
import { LoadingRows } from '@/features/documents/loading-rows'
import { MarkedText } from '@/components/marked-text'
import { paths } from '@/paths'
import { documentKindLabels } from '@/strings/documents'

type Props = { userId: string; text: string; filter: DocumentFilter; onClear: () => void }

export function SearchResults({ userId, text, filter, onClear }: Props) {
  const query = useQuery({
    ...documentSearchQuery(userId, text, filter),
    // The last answer stays until the next one is there: a search does not flicker.
    placeholderData: (previous) => previous,
  })
  if (query.isPending) return <LoadingRows />
  if (!query.data) return <LoadError text="La ricerca non è riuscita: riprova." onRetry={() => void query.refetch()} />
  if (query.data.length === 0)
    return (
      <EmptyState
        icon={SearchXIcon}
        title={`Nessun documento dice «${text}»`}
        text={filterCount(filter) > 0 ? 'Forse lo nascondono i filtri.' : 'Prova con una parola sola, o meno precisa.'}
        isAnswer
      >
        <Button variant="outline" onClick={onClear}>
          Togli ricerca e filtri
        </Button>
      </EmptyState>
    )
  return (
    <>
      <p role="status" className="text-sm text-muted-foreground tabular">
        {query.data.length === 1 ? '1 documento trovato' : `${query.data.length} documenti trovati`}
      </p>
      <ul aria-label="Documenti trovati" className="divide-y overflow-hidden rounded-md border bg-card">
        {query.data.map((found) => (
          <Found key={found.id} found={found} text={text} />
        ))}
      </ul>
    </>
  )
}

function Found({ found: { id, name, filename, kind, hits }, text }: { found: FoundDocument; text: string }) {
  return (
    <li className="grid gap-1 py-3">
      <div className="flex min-w-0 items-center gap-3 px-4">
        <DocumentIcon name={filename} />
        <Link
          to={paths.documentHit(id, text, String(hits[0]?.page ?? 1))}
          className="grid min-w-0 rounded-sm font-medium hover:underline"
        >
          <span className="truncate">{name}</span>
          {name !== filename && <span className="truncate text-xs font-normal text-muted-foreground">{filename}</span>}
        </Link>
        {kind !== 'altro' && <Badge variant="secondary">{documentKindLabels[kind]}</Badge>}
      </div>
      <ul className="grid">
        {hits.map(({ page, snippet, marks }) => (
          <li key={page ?? 'name'}>
            <Link
              to={paths.documentHit(id, text, String(page ?? 1))}
              className="flex gap-3 px-4 py-1.5 text-sm hover:bg-muted focus-visible:-outline-offset-2 sm:pl-13"
            >
              <span className="min-w-0 flex-1 break-words">
                <MarkedText text={snippet} marks={marks} />
              </span>
              {page !== null && <span className="shrink-0 text-muted-foreground tabular">pagina {page}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </li>
  )
}
