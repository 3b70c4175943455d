/** Of a mail that is not sent: what went wrong, and what its owner may do. */
import { toast } from 'sonner'

import { isSoon } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { useCancelMail, useDecideMail } from '@/data/mail'
import type { Enums } from '@/data/tables'
import { fullDate } from '@/strings/dates'
import { mailErrorText } from '@/strings/mail'

type Props = { id: string; data: Record<string, string | null> }

async function run(change: Promise<unknown>) {
  try {
    await change
  } catch {
    toast.error('Non è più possibile: guarda come sta ora')
  }
}

export function MailState({ id, data: { state, error, reply, recipient, not_before: leavesAt } }: Props) {
  const { id: userId } = useUser()
  const cancel = useCancelMail(userId)
  const decide = useDecideMail(userId)
  const isBusy = cancel.isPending || decide.isPending

  return (
    <div className="mt-1 grid gap-2">
      <p className="break-words text-muted-foreground">
        A {recipient}
        {state === 'queued' && leavesAt && !isSoon(leavesAt) && `. Parte ${fullDate(leavesAt)}`}
        {error && `. ${mailErrorText(error as Enums<'mail_error'>, reply ?? null)}`}
        {reply && `. Il server ha risposto: ${reply}`}
      </p>
      <div className="flex flex-wrap gap-2">
        {state === 'queued' && (
          <Button variant="outline" size="sm" disabled={isBusy} onClick={() => void run(cancel.mutateAsync(id))}>
            Annulla l’invio
          </Button>
        )}
        {state === 'uncertain' && (
          <Button
            variant="outline"
            size="sm"
            disabled={isBusy}
            onClick={() => void run(decide.mutateAsync({ id, hasArrived: true }))}
          >
            È arrivata
          </Button>
        )}
        {(state === 'uncertain' || state === 'failed') && (
          <Button
            variant="outline"
            size="sm"
            disabled={isBusy}
            onClick={() => void run(decide.mutateAsync({ id, hasArrived: false }))}
          >
            Invia di nuovo
          </Button>
        )}
      </div>
    </div>
  )
}
