/** What a document is called, and what can be done with its file. */
import { DownloadIcon, EllipsisIcon, PencilIcon, Trash2Icon } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Input } from '@/components/ui/input'
import { useRestoreDocuments, useTrashDocuments } from '@/data/deletions'
import { useChangeDocument, type WholeDocument } from '@/data/document'
import { downloadLink } from '@/data/documents'
import { saveFrom } from '@/lib/save-file'
import { fullDate, shortDate } from '@/strings/dates'
import { documentName } from '@/strings/document-name'
import { documentKindLabels } from '@/strings/documents'
import { formatBytes } from '@/strings/files'

type Props = { document: WholeDocument; userId: string }

export function DocumentHeader({ document, userId }: Props) {
  const { id, filename, kind, created_at: createdAt, pages, bytes } = document
  const name = documentName(document)
  const [isRenaming, setRenaming] = useState(false)
  const trash = useTrashDocuments(userId, () => toast.error('Non siamo riusciti a eliminare: riprova'))
  const restore = useRestoreDocuments(userId, () => toast.error('Non siamo riusciti a ripristinare: riprova'))

  function remove() {
    trash.mutate([id])
    toast('Documento nel cestino', {
      description: name,
      duration: 8_000,
      action: { label: 'Annulla', onClick: () => restore.mutate([id]) },
    })
  }

  function download() {
    downloadLink(document).then(
      (url) => saveFrom(url, filename),
      () => toast.error('Non siamo riusciti a scaricare: riprova'),
    )
  }

  return (
    <header className="grid grid-cols-1 gap-2 print:hidden">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 grid-cols-1 flex-1 gap-0.5">
          {isRenaming ? (
            <NameForm document={document} userId={userId} onClose={() => setRenaming(false)} />
          ) : (
            <h1 className="text-xl font-semibold break-words">{name}</h1>
          )}
          <p className="text-sm break-words text-muted-foreground">
            {name === filename ? documentKindLabels[kind] : filename} ·{' '}
            <time title={fullDate(createdAt)}>caricato il {shortDate(createdAt)}</time>
            {pages ? ` · ${pages === 1 ? '1 pagina' : `${pages} pagine`}` : ''}{' '}
            {bytes !== null && ` · ${formatBytes(bytes)}`}
          </p>
        </div>
        <Button variant="outline" size="icon" className="sm:w-auto sm:px-4" onClick={download}>
          <DownloadIcon aria-hidden />
          <span className="sr-only sm:not-sr-only">Scarica</span>
        </Button>
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <Button variant="ghost" size="icon" aria-label="Altre azioni">
              <EllipsisIcon aria-hidden />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end">
            <DropdownMenuItem onSelect={() => setRenaming(true)}>
              <PencilIcon /> Rinomina
            </DropdownMenuItem>
            {!document.deleted_at && (
              <DropdownMenuItem onSelect={remove}>
                <Trash2Icon /> Elimina
              </DropdownMenuItem>
            )}
          </DropdownMenuContent>
        </DropdownMenu>
      </div>
      {document.deleted_at && (
        <div className="flex flex-wrap items-center gap-3 rounded-md bg-warning-tint px-4 py-2">
          <p className="mr-auto text-sm">Questo documento è nel cestino: dopo trenta giorni si cancella da solo.</p>
          <Button variant="outline" size="sm" disabled={restore.isPending} onClick={() => restore.mutate([id])}>
            Ripristina
          </Button>
        </div>
      )}
    </header>
  )
}

function NameForm({ document, userId, onClose }: Props & { onClose: () => void }) {
  const [name, setName] = useState(document.filename)
  const change = useChangeDocument(userId, document.id)

  function save(event: FormEvent) {
    event.preventDefault()
    const filename = name.replaceAll(/\s+/g, ' ').trim()
    onClose()
    if (!filename || filename === document.filename) return
    change.mutate(
      { filename, filename_by_user: true },
      { onError: () => toast.error('Non siamo riusciti a rinominare: riprova') },
    )
  }

  return (
    <form className="flex gap-2" onSubmit={save}>
      <Input
        // The person has just asked for it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label="Nome del documento"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
      />
      <Button>Salva</Button>
    </form>
  )
}
