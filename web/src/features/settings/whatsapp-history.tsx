/** How far the messages of the phone have come in. */
import { Progress } from '@/components/ui/progress'
import type { WhatsappAccount } from '@/data/whatsapp'
import { whatsappHistoryStates } from '@/strings/whatsapp'

const HINTS = {
  rifiutata: 'Sul telefono hai scelto di non condividerla: i messaggi nuovi arrivano comunque.',
  fallita: 'Meta non l’ha consegnata: i messaggi nuovi arrivano comunque.',
}

export function WhatsappHistory({ account: { history_state: state, history_progress: progress } }: Props) {
  if (!state) return null
  const isComing = state === 'in_corso'
  return (
    <div>
      <dt className="text-muted-foreground">Messaggi del telefono</dt>
      <dd className="grid max-w-sm gap-1.5">
        <span>Cronologia: {isComing ? `${progress} %` : whatsappHistoryStates[state]}</span>
        {isComing && <Progress value={progress} aria-label="Cronologia" />}
        {(state === 'rifiutata' || state === 'fallita') && (
          <span className="text-pretty text-muted-foreground">{HINTS[state]}</span>
        )}
      </dd>
    </div>
  )
}

type Props = { account: Pick<WhatsappAccount, 'history_state' | 'history_progress'> }
