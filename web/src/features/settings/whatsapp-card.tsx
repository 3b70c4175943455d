/** WhatsApp in the settings: the number, how it is, its templates and what it costs. */
import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useCheckWhatsapp, useDisconnectWhatsapp, type WhatsappAccount, whatsappAccountQuery } from '@/data/whatsapp'
import { WhatsappAnswer } from '@/features/settings/whatsapp-answer'
import { WhatsappConnect } from '@/features/settings/whatsapp-connect'
import { WhatsappHistory } from '@/features/settings/whatsapp-history'
import { WhatsappSignupButton } from '@/features/settings/whatsapp-signup-button'
import { WhatsappTemplates } from '@/features/settings/whatsapp-templates'
import { WhatsappUsage } from '@/features/settings/whatsapp-usage'
import { WhatsappVoiceChoice } from '@/features/settings/whatsapp-voice-choice'
import { FunctionError } from '@/lib/server-errors'
import { fullDate } from '@/strings/dates'
import { whatsappAccountStates } from '@/strings/whatsapp'

export function WhatsappCard({ userId }: { userId: string }) {
  const { data: account, isError, refetch } = useQuery(whatsappAccountQuery(userId))
  if (isError && account === undefined)
    return <LoadError text="Non riusciamo a leggere il tuo numero WhatsApp." onRetry={() => void refetch()} />
  if (account === undefined) return <Skeleton aria-busy className="h-48" />
  return account ? <Connected userId={userId} account={account} /> : <WhatsappConnect userId={userId} />
}

async function run(change: Promise<unknown>, done: string) {
  try {
    await change
    toast.success(done)
  } catch (failure) {
    toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti: riprova')
  }
}

function Connected({ userId, account }: { userId: string; account: WhatsappAccount }) {
  const check = useCheckWhatsapp(userId)
  const disconnect = useDisconnectWhatsapp(userId)
  const rows = [
    ['Stato', whatsappAccountStates[account.state]],
    ['Sul telefono', account.is_on_phone && 'Il numero resta anche nell’app WhatsApp Business'],
    ['Qualità secondo Meta', account.quality],
    ['Persone nuove al giorno', String(account.people_a_day)],
    ['Ultimo messaggio ricevuto da Meta', account.last_delivery_at && fullDate(account.last_delivery_at)],
    ['Ultima risposta di Meta', account.last_success_at && fullDate(account.last_success_at)],
  ] as const

  return (
    <Card>
      <CardHeader>
        <CardTitle>WhatsApp</CardTitle>
        <CardDescription>{account.display_number}</CardDescription>
      </CardHeader>
      <dl className="grid gap-2 text-sm">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt className="text-muted-foreground">{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
        <WhatsappHistory account={account} />
        {account.last_error && account.last_error_at && (
          <div>
            <dt className="text-error">Ultimo errore</dt>
            <dd className="break-words">
              {account.last_error}
              {account.last_error_code ? ` (${account.last_error_code})` : ''}, {fullDate(account.last_error_at)}
            </dd>
          </div>
        )}
      </dl>
      <div className="flex flex-wrap gap-2">
        {account.state === 'da_ricollegare' && account.is_by_app && (
          <WhatsappSignupButton isOnPhone={account.is_on_phone} label="Ricollega con Meta" />
        )}
        <Button
          variant="outline"
          disabled={check.isPending}
          onClick={() => void run(check.mutateAsync(), 'Il numero risponde')}
        >
          Controlla ora
        </Button>
        <Button
          variant="ghost"
          disabled={disconnect.isPending}
          onClick={() => void run(disconnect.mutateAsync(), 'Numero scollegato: le chiavi sono state cancellate')}
        >
          Scollega
        </Button>
      </div>
      <p className="text-sm text-muted-foreground">
        Se scolleghi il numero, Meta non ci consegna più niente e i messaggi in coda si annullano. Le conversazioni
        restano{account.is_on_phone && ', e il numero resta sul telefono'}.
      </p>
      <WhatsappAnswer userId={userId} />
      <WhatsappVoiceChoice userId={userId} />
      <WhatsappTemplates userId={userId} />
      <WhatsappUsage userId={userId} />
    </Card>
  )
}
