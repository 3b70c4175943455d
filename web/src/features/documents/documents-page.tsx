/** /documents: bring files in, watch them being read, find them again. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import { DocumentsHeader } from '@/components/documents-header'
import { PageTitle } from '@/components/page-title'
import { PartiesLine } from '@/components/parties-line'
import { SearchBox } from '@/components/search-box'
import { useUser } from '@/data/auth-context'
import { reloadDocuments } from '@/data/documents'
import { noFilter } from '@/data/documents-wish'
import { addUploads, useUploads } from '@/data/uploads'
import { DocumentResults } from '@/features/documents/document-results'
import { DropZone } from '@/features/documents/drop-zone'
import { FilterMenu } from '@/features/documents/filter-menu'
import { KindChips } from '@/features/documents/kind-chips'
import { Queue } from '@/features/documents/queue'
import { sampleInvoice } from '@/features/documents/sample-invoice'
import { SearchResults } from '@/features/documents/search-results'
import { useDocumentWish } from '@/features/documents/use-document-wish'
import { unfinishedUploads } from '@/lib/resumable-upload'

export default function DocumentsPage() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const field = useRef<HTMLInputElement>(null)
  const uploads = useUploads()
  const { wish, change } = useDocumentWish()
  // The box keeps what is typed by itself; another number is another box.
  const [search, setSearch] = useState(0)
  const title = wish.isTrash ? 'Cestino' : 'Documenti'

  const upload = (files: readonly File[]) =>
    addUploads({ userId, files, onArrival: () => reloadDocuments(client, userId) })

  function clear() {
    change({ text: '', ...noFilter })
    setSearch(search + 1)
  }

  return (
    <div className="column grid gap-4 py-6 sm:py-8">
      <PageTitle>{title}</PageTitle>
      <DocumentsHeader current={wish.isTrash ? 'trash' : 'documents'} title={title} />
      {wish.isTrash && (
        <p className="text-sm text-muted-foreground">
          Qui un documento resta 30 giorni, poi sparisce dal server con tutto quello che ne abbiamo letto.
        </p>
      )}
      {!wish.isTrash && <DropZone field={field} onFiles={upload} />}
      {uploads.length === 0 && <Unfinished names={unfinishedUploads(userId)} />}
      {!wish.isTrash && !wish.text && <Queue userId={userId} />}
      {!wish.isTrash && !wish.text && <PartiesLine userId={userId} />}
      <div className="flex flex-wrap gap-2">
        {!wish.isTrash && (
          <SearchBox
            key={search}
            text={wish.text}
            label="Cerca nei documenti"
            placeholder="Una parola, un numero, un nome"
            onSearch={(text) => change({ text })}
          />
        )}
        <FilterMenu userId={userId} filter={wish} onChange={change} />
      </div>
      {!wish.isTrash && <KindChips userId={userId} filter={wish} onChange={change} />}
      {wish.text && !wish.isTrash ? (
        <SearchResults userId={userId} text={wish.text} filter={wish} onClear={clear} />
      ) : (
        <DocumentResults
          key={title}
          userId={userId}
          wish={wish}
          onClear={clear}
          onChoose={() => field.current?.click()}
          onSample={() => upload([sampleInvoice(new Date())])}
        />
      )}
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
