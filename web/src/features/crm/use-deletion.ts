/** Deleting contacts, which «Annulla» takes back. */
import { toast } from 'sonner'

import { useDeleteContacts, useRestoreContacts } from '@/data/contacts'

/** What is deleted stays in the trash for thirty days; the toast takes it out again. */
export function useDeletion(): (ids: readonly string[], name?: string) => void {
  const remove = useDeleteContacts(() => toast.error('Non siamo riusciti a eliminare: riprova'))
  const restore = useRestoreContacts(() => toast.error('Non siamo riusciti a ripristinare: riprova'))
  return (ids, name) => {
    remove.mutate(ids)
    toast(ids.length === 1 ? 'Contatto eliminato' : `${ids.length} contatti eliminati`, {
      description: name,
      duration: 8_000,
      action: { label: 'Annulla', onClick: () => restore.mutate(ids) },
    })
  }
}
