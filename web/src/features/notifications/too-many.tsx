/** «Troppe di questo tipo?»: offered for a kind whose newest five nobody has looked at. */
import { useQuery } from '@tanstack/react-query'
import { BellOffIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import {
  notificationChoicesQuery,
  notificationKindsQuery,
  useSaveNotificationSettings,
} from '@/data/notification-settings'
import { type Notification, useMarkRead } from '@/data/notifications'
import { ignoredKind } from '@/features/notifications/ignored'

export function TooMany({ rows }: { rows: Notification[] }) {
  const { id: userId } = useUser()
  const { data: kinds = [] } = useQuery(notificationKindsQuery)
  const { data: choices } = useQuery(notificationChoicesQuery(userId))
  const markRead = useMarkRead()
  const save = useSaveNotificationSettings(userId, () => toast.error('Non siamo riusciti a salvare. Riprova.'))
  const muted = choices?.settings.muted
  const ignored = muted && ignoredKind(rows, muted)
  const label = kinds.find(({ kind }) => kind === ignored)?.label
  if (!ignored || !label) return null

  function keep() {
    markRead.mutate(rows.filter((row) => row.kind === ignored && !row.is_read).map(({ id }) => id))
  }

  function mute() {
    if (!ignored || !muted) return
    save.mutate({ muted: [...muted, ignored] })
    keep()
    toast.success(`Non ti avviso più: ${label}`, {
      action: { label: 'Annulla', onClick: () => save.mutate({ muted }) },
    })
  }

  return (
    <section
      aria-label="Troppe di questo tipo?"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border bg-card px-5 py-3"
    >
      <BellOffIcon aria-hidden className="size-5 shrink-0 text-primary" />
      <p className="min-w-48 flex-1 text-sm">
        <span className="block font-medium">Troppe di questo tipo?</span>
        <span className="text-muted-foreground">Le ultime di «{label}» sono rimaste da leggere.</span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={mute}>
          Non avvisarmi più
        </Button>
        <Button variant="ghost" size="sm" onClick={keep}>
          Vanno bene così
        </Button>
      </div>
    </section>
  )
}
