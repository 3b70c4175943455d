/** «Segna tutte come lette», in the bell and on /notifications; shown only while something is unread. */
import type { ReactNode } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { type Notification, useMarkAllRead, useMarkUnread } from '@/data/notifications'

type Props = { rows: Notification[]; variant: 'link' | 'outline'; icon?: ReactNode }

export function MarkAllRead({ rows, variant, icon }: Props) {
  const markUnread = useMarkUnread()
  const markAll = useMarkAllRead({
    onSuccess: (ids) =>
      toast.success('Tutte le notifiche sono state segnate come lette', {
        action: { label: 'Annulla', onClick: () => markUnread.mutate(ids) },
      }),
    onError: () => toast.error('Non siamo riusciti a segnare le notifiche come lette'),
  })
  const unread = rows.filter((row) => !row.is_read).map((row) => row.id)
  if (unread.length === 0) return null
  return (
    <Button variant={variant} disabled={markAll.isPending} onClick={() => markAll.mutate(unread)}>
      {icon}
      Segna tutte come lette
    </Button>
  )
}
