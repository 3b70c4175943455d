/** Putting documents into the trash, which «Annulla» takes back. */
import { toast } from 'sonner'

import { useRestoreDocuments, useTrashDocuments } from '@/data/deletions'

export function useTrash(userId: string): (ids: readonly string[], name?: string) => void {
  const trash = useTrashDocuments(userId, () => toast.error('Non siamo riusciti a eliminare: riprova'))
  const restore = useRestoreDocuments(userId, () => toast.error('Non siamo riusciti a ripristinare: riprova'))
  return (ids, name) => {
    trash.mutate(ids)
    toast(ids.length === 1 ? 'Documento nel cestino' : `${ids.length} documenti nel cestino`, {
      description: name,
      duration: 8_000,
      action: { label: 'Annulla', onClick: () => restore.mutate(ids) },
    })
  }
}
