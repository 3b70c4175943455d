/** One line while the outbox holds something, which opens the list of it. Sends it too, as long as it is mounted. */
import { CloudAlertIcon, CloudUploadIcon } from 'lucide-react'
import { useState } from 'react'

import { useOutboxSending } from '@/data/outbox-sending'
// Loaded with the line: without a network nothing could be loaded any more.
import { OutboxDialog } from '@/features/layout/outbox-dialog'
import { outboxCount } from '@/strings/outbox'

export default function OutboxLine({ userId }: { userId: string }) {
  const entries = useOutboxSending(userId)
  const [isOpen, setOpen] = useState(false)
  const Icon = entries.some(({ refusal }) => refusal) ? CloudAlertIcon : CloudUploadIcon
  return (
    <>
      {entries.length > 0 && (
        <div className="border-b bg-card">
          <div className="column flex items-center gap-2.5 text-sm">
            <Icon aria-hidden className="size-4 shrink-0 text-warning" />
            <p role="status" className="min-w-0 flex-1 py-2">
              {outboxCount(entries)}
            </p>
            <button className="min-h-11 shrink-0 px-2 font-medium underline" onClick={() => setOpen(true)}>
              Vedi <span className="sr-only">le modifiche in attesa</span>
            </button>
          </div>
        </div>
      )}
      {isOpen && <OutboxDialog userId={userId} entries={entries} onClose={() => setOpen(false)} />}
    </>
  )
}
