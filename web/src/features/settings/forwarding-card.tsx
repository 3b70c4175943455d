/** The address for forwarded mails: no mailbox is connected, and no password given. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { CopyButton } from '@/components/copy-button'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import {
  mailAddressQuery,
  type MailAddressState,
  mailAddressStateQuery,
  useCloseMailAddress,
  useRenewMailAddress,
} from '@/data/forwarding'
import { FunctionError } from '@/lib/server-errors'
import { fullDate } from '@/strings/dates'
import { mailRefusals } from '@/strings/mail'

export function ForwardingCard({ userId }: { userId: string }) {
  const { data, isError, refetch } = useQuery(mailAddressQuery(userId))
  if (isError && !data)
    return <LoadError text="Non riusciamo a leggere il tuo indirizzo per inoltrare." onRetry={() => void refetch()} />
  if (!data?.is_offered) return null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Inoltra le email a Socio</CardTitle>
        <CardDescription>
          Un indirizzo solo tuo: ciò che gli inoltri, o gli mandi in Ccn, arriva in «Posta» e nella storia del contatto.
          Socio non entra nella tua casella.
        </CardDescription>
      </CardHeader>
      {data.address ? <Address userId={userId} address={data.address} /> : <Create userId={userId} />}
    </Card>
  )
}

/** Says why a change failed. */
const tell = (failure: unknown) =>
  toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti: riprova')

function Create({ userId }: { userId: string }) {
  const renew = useRenewMailAddress(userId)
  return (
    <Button className="self-start" disabled={renew.isPending} onClick={() => void renew.mutateAsync().catch(tell)}>
      {renew.isPending && <Spinner aria-hidden />}
      Crea indirizzo
    </Button>
  )
}

const questions = {
  renew: {
    title: 'Cambiare indirizzo?',
    text: 'Quello di ora smette subito di funzionare: poi aggiorna le regole di inoltro e i contatti che lo usano.',
    confirm: 'Cambia indirizzo',
    done: 'Indirizzo cambiato: quello di prima non riceve più',
  },
  close: {
    title: 'Disattivare l’indirizzo?',
    text: 'Le email che ci arrivano vengono respinte a chi le manda. Quelle già ricevute restano.',
    confirm: 'Disattiva',
    done: 'Indirizzo disattivato: le email ricevute restano',
  },
} as const

function Address({ userId, address }: { userId: string; address: string }) {
  const [asked, setAsked] = useState<keyof typeof questions | null>(null)
  const { data: state } = useQuery(mailAddressStateQuery(userId))
  const renew = useRenewMailAddress(userId)
  const close = useCloseMailAddress(userId)

  async function onConfirm() {
    if (!asked) return
    try {
      await (asked === 'renew' ? renew : close).mutateAsync()
      toast.success(questions[asked].done)
      setAsked(null)
    } catch (failure) {
      tell(failure)
    }
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <output
          aria-label="Indirizzo per inoltrare"
          className="min-w-0 flex-1 basis-64 rounded-md border bg-muted p-3 font-mono text-sm break-all select-all"
        >
          {address}
        </output>
        <CopyButton key={address} text={address} label="Copia" />
      </div>
      {state && <Health state={state} />}
      <Guide />
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" onClick={() => setAsked('renew')}>
          Cambia indirizzo
        </Button>
        <Button variant="ghost" onClick={() => setAsked('close')}>
          Disattiva
        </Button>
      </div>
      <p className="text-sm text-muted-foreground">
        Non darlo a nessuno: chi lo conosce può far comparire email nella tua Posta. Del mittente di ciò che inoltri non
        possiamo garantire.
      </p>
      {asked && (
        <ConfirmDialog
          isOpen
          {...questions[asked]}
          isBusy={renew.isPending || close.isPending}
          onConfirm={() => void onConfirm()}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

function Health({ state }: { state: MailAddressState }) {
  return (
    <dl className="grid gap-2 text-sm">
      <div>
        <dt className="text-muted-foreground">Email ricevute</dt>
        <dd>
          {state.last_received_at
            ? `${state.received}, l’ultima ${fullDate(state.last_received_at)}`
            : 'Ancora nessuna: inoltra un’email per provare'}
        </dd>
      </div>
      {state.last_refusal && state.last_refused_at && (
        <div>
          <dt className="text-error">Email respinte</dt>
          <dd className="break-words">
            {state.refused}, l’ultima {fullDate(state.last_refused_at)}: {mailRefusals[state.last_refusal]}
          </dd>
        </div>
      )}
    </dl>
  )
}

function Guide() {
  return (
    <ul aria-label="Come si fa" className="grid list-disc gap-1 pl-5 text-sm">
      <li>
        <b>Gmail</b>: Impostazioni › Inoltro e POP/IMAP › Aggiungi un indirizzo di inoltro. Il codice di conferma arriva
        in «Posta».
      </li>
      <li>
        <b>Outlook</b>: Impostazioni › Posta › Regole › Aggiungi regola › «Inoltra a», con questo indirizzo.
      </li>
      <li>
        <b>Altri</b>: inoltra a mano ciò che ricevi; quando scrivi a un cliente, metti questo indirizzo in Ccn.
      </li>
    </ul>
  )
}
