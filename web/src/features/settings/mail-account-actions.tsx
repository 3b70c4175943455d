/** «Prova ora» and «Scollega» of whatever a person's mails leave by. */
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { useDisconnectMail, useTryMail } from '@/data/mail'
import { FunctionError } from '@/lib/server-errors'

type Props = {
  userId: string
  /** The address of the test mail. */
  triedAt: string | null
  /** Said once it is disconnected. */
  disconnected: string
}

export function MailAccountActions({ userId, triedAt, disconnected }: Props) {
  const tryOut = useTryMail(userId)
  const disconnect = useDisconnectMail(userId)

  async function onTry() {
    try {
      await tryOut.mutateAsync()
      toast.success('Email di prova inviata', { description: triedAt })
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a provare: riprova')
    }
  }

  async function onDisconnect() {
    try {
      await disconnect.mutateAsync()
      toast.success(disconnected)
    } catch {
      toast.error('Non siamo riusciti a scollegare: riprova')
    }
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="outline" disabled={tryOut.isPending} onClick={() => void onTry()}>
        Prova ora
      </Button>
      <Button variant="ghost" disabled={disconnect.isPending} onClick={() => void onDisconnect()}>
        Scollega
      </Button>
    </div>
  )
}
