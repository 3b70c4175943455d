/** What can be done with one document of the list. */
import { ArchiveRestoreIcon, DownloadIcon, EllipsisIcon, PencilIcon, RotateCwIcon, Trash2Icon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import type { ListedDocument } from '@/data/documents'
import { download } from '@/features/documents/download'
import { documentName } from '@/strings/document-name'

export type DocumentActions = {
  onRename: (document: ListedDocument) => void
  onRetry: (document: ListedDocument) => void
  onTrash: (document: ListedDocument) => void
  onRestore: (document: ListedDocument) => void
  onErase: (document: ListedDocument) => void
}

type Props = { document: ListedDocument; actions: DocumentActions }

export function DocumentMenu({ document, actions }: Props) {
  const canRetry = document.state === 'errore' || document.state === 'annullato'
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button
          variant="ghost"
          size="icon"
          className="text-muted-foreground"
          aria-label={`Azioni per ${documentName(document)}`}
        >
          <EllipsisIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={() => void download([document])}>
          <DownloadIcon /> Scarica
        </DropdownMenuItem>
        {document.deleted_at ? (
          <>
            <DropdownMenuItem onSelect={() => actions.onRestore(document)}>
              <ArchiveRestoreIcon /> Ripristina
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => actions.onErase(document)}>
              <Trash2Icon /> Elimina definitivamente…
            </DropdownMenuItem>
          </>
        ) : (
          <>
            {canRetry && (
              <DropdownMenuItem onSelect={() => actions.onRetry(document)}>
                <RotateCwIcon /> Riprova la lettura
              </DropdownMenuItem>
            )}
            <DropdownMenuItem onSelect={() => actions.onRename(document)}>
              <PencilIcon /> Rinomina
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => actions.onTrash(document)}>
              <Trash2Icon /> Elimina
            </DropdownMenuItem>
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
