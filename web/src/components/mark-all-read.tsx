/** «Segna tutte come lette», in the bell and on /notifications; shown only while something is unread. */
import type { ReactNode } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { type Notification, useMarkAllRead, useMarkUnread } from '@/data/notifications'

type Props = { rows: Notification[]; variant: 'link' | 'outline'; icon?: ReactNode }

export function MarkAllRead({ rows, variant, icon }: Props) {
  const markUnread = useMarkUnread({
    onError: () => toast.error('Non siamo riusciti ad annullare: riprova'),
  })
  const markAll = useMarkAllRead({
    onSuccess: (at) =>
      toast.success('Tutte le notifiche sono state segnate come lette', {
        action: { label: 'Annulla', onClick: () => markUnread.mutate(at) },
      }),
    onError: () => toast.error('Non siamo riusciti a segnare le notifiche come lette'),
  })
  if (rows.every((row) => row.is_read)) return null
  return (
    <Button variant={variant} disabled={markAll.isPending} onClick={() => markAll.mutate(new Date().toISOString())}>
      {icon}
      Segna tutte come lette
    </Button>
  )
}
