/** What the outbox holds, in order, and what can be done about each entry. */
import { useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { discardEntry, type OutboxEntry, restoreEntry, retryEntry } from '@/data/outbox'
import { sendOutbox } from '@/data/outbox-sending'
import { fullDate, relativeTime } from '@/strings/dates'
import { outboxKinds, outboxRefusals, outboxText } from '@/strings/outbox'

type Props = { userId: string; entries: readonly OutboxEntry[]; onClose: () => void }

export function OutboxDialog({ userId, entries, onClose }: Props) {
  const client = useQueryClient()
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Modifiche in attesa</DialogTitle>
          <DialogDescription>
            {entries.length === 0
              ? 'Tutto inviato.'
              : 'Restano in questo browser, anche se lo chiudi, e partono in quest’ordine appena c’è rete.'}
          </DialogDescription>
        </DialogHeader>
        {entries.length > 0 && (
          <ol aria-label="Modifiche in attesa" className="divide-y border-y">
            {entries.map((entry) => (
              <Entry key={entry.id} userId={userId} entry={entry} />
            ))}
          </ol>
        )}
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Chiudi
          </Button>
          {entries.some(({ refusal }) => !refusal) && (
            <Button onClick={() => void sendOutbox(client, userId)}>Riprova</Button>
          )}
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

function Entry({ userId, entry }: { userId: string; entry: OutboxEntry }) {
  const client = useQueryClient()
  const { id, kind, refusal, writtenAt } = entry
  const text = outboxText(entry)

  async function discard() {
    if (!(await discardEntry(client, userId, id))) return void toast('Era già stata inviata')
    toast('Modifica eliminata', {
      description: text.slice(0, 80),
      action: { label: 'Annulla', onClick: () => void restoreEntry(client, userId, entry) },
    })
  }

  return (
    <li className="flex items-start justify-between gap-3 py-3 text-sm">
      <div className="grid min-w-0 gap-1">
        <p className="flex flex-wrap gap-x-2">
          <span className="font-medium">{outboxKinds[kind]}</span>
          <time dateTime={writtenAt} title={fullDate(writtenAt)} className="text-muted-foreground">
            {relativeTime(writtenAt)}
          </time>
        </p>
        <p className="line-clamp-3 break-words">{text}</p>
        {refusal && <p className="font-medium text-error">Non inviata. {outboxRefusals[refusal]}</p>}
      </div>
      <p className="flex shrink-0 flex-col gap-1">
        {refusal && (
          <Button variant="outline" size="sm" onClick={() => void retryEntry(client, userId, id)}>
            Riprova <span className="sr-only">a inviare: {text.slice(0, 80)}</span>
          </Button>
        )}
        <Button variant="ghost" size="sm" onClick={() => void discard()}>
          Elimina <span className="sr-only">: {text.slice(0, 80)}</span>
        </Button>
      </p>
    </li>
  )
}
