/** The stored documents; `j` and `k` move, Canc deletes. */
import { DownloadIcon, EllipsisIcon, PencilIcon, Trash2Icon } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Kbd } from '@/components/ui/kbd'
import { deleteSoon, UNDO_MS, undoDeletion } from '@/data/deletions'
import { documentsQuery, downloadLink, type StoredDocument } from '@/data/documents'
import { DocumentIcon } from '@/features/documents/document-icon'
import { RenameDialog } from '@/features/documents/rename-dialog'
import { kindOf } from '@/lib/document-types'
import { useShortcut } from '@/lib/shortcut'
import { dayAndMonth, fullDate } from '@/strings/dates'
import { documentKinds, formatBytes } from '@/strings/files'

type Props = { documents: StoredDocument[]; userId: string }

export function DocumentList({ documents, userId }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [renaming, setRenaming] = useState<StoredDocument | null>(null)

  function move(step: 1 | -1) {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = items.findIndex((item) => item.closest('li')?.contains(document.activeElement))
    const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step
    items[next]?.focus()
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))

  return (
    <>
      <ul ref={list} aria-label="Documenti" className="divide-y rounded-md border bg-card">
        {documents.map((one) => (
          <DocumentRow key={one.id} document={one} userId={userId} onRename={() => setRenaming(one)} />
        ))}
      </ul>
      <p className="hidden text-xs text-muted-foreground lg:block">
        <Kbd>n</Kbd> per aggiungere, <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>Canc</Kbd> per eliminare
      </p>
      {renaming && <RenameDialog document={renaming} userId={userId} onClose={() => setRenaming(null)} />}
    </>
  )
}

type RowProps = { document: StoredDocument; userId: string; onRename: () => void }

function DocumentRow({ document: stored, userId, onRename }: RowProps) {
  const client = useQueryClient()
  const { id, name, size, createdAt } = stored
  const kind = kindOf(name)

  async function download() {
    try {
      save(await downloadLink(userId, name), name)
    } catch {
      toast.error('Non siamo riusciti a scaricare il documento: riprova')
    }
  }

  function remove() {
    deleteSoon(userId, stored, {
      onDone: () => client.invalidateQueries(documentsQuery(userId)),
      onFailure: () => toast.error('Non siamo riusciti a eliminare il documento: riprova', { description: name }),
    })
    toast('Documento eliminato', {
      description: name,
      duration: UNDO_MS,
      action: { label: 'Annulla', onClick: () => undoDeletion(id) },
    })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Delete') remove()
  }

  return (
    <li className="flex items-center pr-1.5">
      <button
        data-row
        title="Scarica"
        onClick={() => void download()}
        onKeyDown={onKeyDown}
        className="flex min-h-16 min-w-0 flex-1 items-center gap-4 rounded-md py-3 pr-2 pl-4 text-left transition-colors hover:bg-muted focus-visible:-outline-offset-2"
      >
        <DocumentIcon name={name} />
        <span className="grid min-w-0 gap-0.5">
          <span className="truncate font-medium">
            <span className="sr-only">Scarica </span>
            {name}
          </span>
          <span className="text-sm text-muted-foreground tabular">
            {kind && `${documentKinds[kind]} · `}
            {formatBytes(size)} ·{' '}
            <time dateTime={createdAt} title={fullDate(createdAt)}>
              {dayAndMonth(createdAt)}
            </time>
          </span>
        </span>
      </button>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button variant="ghost" size="icon" className="text-muted-foreground" aria-label={`Azioni per ${name}`}>
            <EllipsisIcon aria-hidden />
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="end">
          <DropdownMenuItem onSelect={() => void download()}>
            <DownloadIcon /> Scarica
          </DropdownMenuItem>
          <DropdownMenuItem onSelect={onRename}>
            <PencilIcon /> Rinomina
          </DropdownMenuItem>
          <DropdownMenuItem onSelect={remove}>
            <Trash2Icon /> Elimina
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>
    </li>
  )
}

/** Saves what is behind `url`; the server says that it is an attachment. */
function save(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
