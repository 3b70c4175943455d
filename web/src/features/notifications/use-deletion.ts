import { toast } from 'sonner'

import { useDeleteNotifications, useRestoreNotifications } from '@/data/notifications'

/** Deletes notifications at once, with a way back. */
export function useDeletion(): (ids: readonly string[]) => void {
  const restoration = useRestoreNotifications({
    onError: () => toast.error('Non siamo riusciti ad annullare: riprova'),
  })
  const deletion = useDeleteNotifications({
    onSuccess: (ids) =>
      toast.success(ids.length === 1 ? 'Notifica eliminata' : `${ids.length} notifiche eliminate`, {
        action: { label: 'Annulla', onClick: () => restoration.mutate(ids) },
      }),
    onError: () => toast.error('Non siamo riusciti a eliminare: riprova'),
  })
  return deletion.mutate
}
