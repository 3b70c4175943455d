/** The operator's shared sender: offered with one click, or how it goes. */
import { useQuery } from '@tanstack/react-query'

import { SharedFacts, SharedOffer } from '@/components/shared-offer'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { type MailAccount, type SharedSender, sharedSenderQuery } from '@/data/mail'
import { MailAccountActions } from '@/features/settings/mail-account-actions'
import { fullDate } from '@/strings/dates'
import { mailErrors, sharedErrors, sharedPauses } from '@/strings/mail'

type Props = { userId: string; account: MailAccount | null }

export function SharedCard({ userId, account }: Props) {
  const { data: shared } = useQuery(sharedSenderQuery(userId))
  if (!shared || (!account && !shared.is_offered)) return null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Invia tramite Socio</CardTitle>
        <CardDescription>
          {account
            ? 'Le tue email partono dall’indirizzo di Socio, a nome tuo e solo quando lo decidi tu.'
            : 'Cominci subito, senza password: l’email parte dall’indirizzo di Socio, a nome tuo.'}
        </CardDescription>
      </CardHeader>
      {account ? (
        <>
          <SharedFacts shared={shared} />
          <Health account={account} shared={shared} />
          <MailAccountActions userId={userId} triedAt={shared.reply_to} disconnected="Non invii più tramite Socio" />
        </>
      ) : (
        <SharedOffer userId={userId} shared={shared} />
      )}
      <p className="text-sm text-muted-foreground">
        Per email singole: preventivi, fatture, risposte, solleciti, al massimo 50 al giorno. Per le campagne collega la
        tua casella.
      </p>
    </Card>
  )
}

/** How it goes: what is left, why it is paused, how its last use ended. */
function Health({ account, shared }: { account: MailAccount; shared: SharedSender }) {
  const { last_error: error, last_error_at: failedAt, last_success_at: succeededAt } = account
  return (
    <dl className="grid gap-2 text-sm">
      {shared.pause_reason && shared.paused_until ? (
        <div>
          <dt className="font-medium text-error">In pausa</dt>
          <dd className="text-pretty">
            {sharedPauses[shared.pause_reason]} Riprende da solo il {fullDate(shared.paused_until)}; per continuare
            subito collega la tua casella.
          </dd>
        </div>
      ) : (
        <div>
          <dt className="text-muted-foreground">Email che puoi ancora inviare oggi</dt>
          <dd>
            {shared.left}
            {shared.left === 0 && shared.resumes_at && `, riprende il ${fullDate(shared.resumes_at)}`}
          </dd>
        </div>
      )}
      {shared.reply_to === null && (
        <div>
          <dt className="font-medium text-error">In attesa</dt>
          <dd>Conferma l’indirizzo email con cui accedi: le email partono quando lo hai fatto.</dd>
        </div>
      )}
      {succeededAt && (
        <div>
          <dt className="text-muted-foreground">Ultimo invio riuscito</dt>
          <dd>{fullDate(succeededAt)}</dd>
        </div>
      )}
      {error && failedAt && (
        <div>
          <dt className="text-error">Ultimo errore</dt>
          <dd className="break-words">
            {sharedErrors[error] ?? mailErrors[error]}, {fullDate(failedAt)}
          </dd>
        </div>
      )}
    </dl>
  )
}
