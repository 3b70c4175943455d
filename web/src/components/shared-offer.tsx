/** One click to send by the operator's shared sender, with what the recipient will see. */
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { type SharedSender, useShareSender } from '@/data/mail'
import { FunctionError } from '@/lib/server-errors'

type Props = { userId: string; shared: SharedSender }

export function SharedOffer({ userId, shared }: Props) {
  const share = useShareSender(userId)

  async function onShare() {
    try {
      await share.mutateAsync()
      toast.success('Da ora invii tramite Socio')
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti: riprova')
    }
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SharedFacts shared={shared} />
      {shared.reply_to === null ? (
        <p role="status" className="text-sm font-medium text-error">
          Conferma prima l’indirizzo email con cui accedi: le risposte arrivano lì.
        </p>
      ) : (
        <Button className="justify-self-start" disabled={share.isPending} onClick={() => void onShare()}>
          {share.isPending && <Spinner aria-hidden />}
          Invia tramite Socio
        </Button>
      )}
    </div>
  )
}

/** The sender as the recipient sees it, and the addresses of answers. */
export function SharedFacts({ shared }: { shared: SharedSender }) {
  return (
    <dl className="grid gap-2 text-sm">
      <div>
        <dt className="text-muted-foreground">Chi riceve vede</dt>
        <dd className="break-words">
          {shared.name} &lt;{shared.sender}&gt;
        </dd>
      </div>
      {shared.reply_to && (
        <div>
          <dt className="text-muted-foreground">Le risposte arrivano a</dt>
          <dd className="break-words">
            {shared.reply_to}
            {shared.takes_answers && ' e in «Posta»'}
          </dd>
        </div>
      )}
    </dl>
  )
}
