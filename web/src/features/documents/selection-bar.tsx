/** What can be done with several documents at once. */
import { useQuery } from '@tanstack/react-query'
import { ArchiveRestoreIcon, DownloadIcon, TagIcon, Trash2Icon, UserRoundIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'

import { ActionBar } from '@/components/action-bar'
import { NameDialog } from '@/components/name-dialog'
import { Button } from '@/components/ui/button'
import { tagsQuery } from '@/data/contacts-labels'
import { type ListedDocument, useTagDocuments } from '@/data/documents'
import { ContactDialog } from '@/features/documents/contact-dialog'
import { download } from '@/features/documents/download'

type Props = {
  userId: string
  documents: readonly ListedDocument[]
  /** How many could be selected. */
  total: number
  isTrash: boolean
  onAll: () => void
  onTrash: () => void
  onRestore: () => void
  onErase: () => void
  onClear: () => void
}

export function SelectionBar({
  userId,
  documents,
  total,
  isTrash,
  onAll,
  onTrash,
  onRestore,
  onErase,
  onClear,
}: Props) {
  const [asking, setAsking] = useState<'tag' | 'contact' | null>(null)
  const count = documents.length === 1 ? '1 selezionato' : `${documents.length} selezionati`
  const ids = documents.map(({ id }) => id)
  return (
    <>
      <ActionBar label="Azioni sui documenti selezionati" count={count} onClear={onClear}>
        {documents.length < total && <Action onClick={onAll}>Tutti ({total})</Action>}
        {isTrash ? (
          <>
            <Action onClick={onRestore}>
              <ArchiveRestoreIcon aria-hidden /> Ripristina
            </Action>
            <Action onClick={onErase}>
              <Trash2Icon aria-hidden /> Elimina definitivamente
            </Action>
          </>
        ) : (
          <>
            <Action onClick={() => setAsking('tag')}>
              <TagIcon aria-hidden /> Tag
            </Action>
            <Action onClick={() => setAsking('contact')}>
              <UserRoundIcon aria-hidden /> Contatto
            </Action>
            <Action onClick={() => void download(documents)}>
              <DownloadIcon aria-hidden /> Scarica
            </Action>
            <Action onClick={onTrash}>
              <Trash2Icon aria-hidden /> Elimina
            </Action>
          </>
        )}
      </ActionBar>
      {asking === 'tag' && <TagDialog userId={userId} ids={ids} count={count} onClose={() => setAsking(null)} />}
      {asking === 'contact' && <ContactDialog userId={userId} ids={ids} onClose={() => setAsking(null)} />}
    </>
  )
}

function Action({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button variant="outline" size="sm" onClick={onClick}>
      {children}
    </Button>
  )
}

type TagProps = { userId: string; ids: readonly string[]; count: string; onClose: () => void }

function TagDialog({ userId, ids, count, onClose }: TagProps) {
  const { data: tags = [] } = useQuery(tagsQuery(userId))
  const tag = useTagDocuments(userId)
  return (
    <NameDialog
      title="Aggiungi un tag"
      text="Chi lo ha già lo tiene. Un nome nuovo crea il tag."
      label="Tag"
      submit="Aggiungi"
      known={tags.map(({ name }) => name)}
      onSubmit={async (name) => {
        await tag.mutateAsync({ ids, name })
        toast.success('Tag aggiunto', { description: `${name}: ${count}` })
      }}
      onClose={onClose}
    />
  )
}
