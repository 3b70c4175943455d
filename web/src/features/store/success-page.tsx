/** /store/success: back from the checkout; waits until the credits are there. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlertIcon, CircleCheckIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, Navigate, useLocation, useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageMessage } from '@/components/page-message'
import { PageSpinner } from '@/components/page-spinner'
import { SignInFirst } from '@/components/sign-in-first'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { useAuth } from '@/data/auth-context'
import { outcomeQuery } from '@/data/checkout'
import { balanceQuery } from '@/data/wallet'
import { forgetReturn } from '@/lib/return-path'
import { paths } from '@/paths'
import { company } from '@/strings/company'
import { formatCredits } from '@/strings/numbers'

const back = { label: 'Torna allo store', to: paths.store }

export default function SuccessPage() {
  const { user, isLoading } = useAuth()
  const { pathname, search } = useLocation()
  const [params] = useSearchParams()
  const sessionId = params.get('session_id')
  const userId = user?.id
  // Whoever logs out here does not come back, and least of all does the next one.
  const [wasSignedIn, setSignedIn] = useState(false)
  if (user && !wasSignedIn) setSignedIn(true)
  useEffect(() => {
    if (userId !== undefined) forgetReturn()
  }, [userId])

  if (isLoading && !user) return <PageSpinner />
  if (!user && wasSignedIn) return <Navigate to={paths.login} replace />
  // The session ended while its owner was paying: the credits are theirs all the same.
  if (!user) return <SignInFirst path={`${pathname}${search}`} />
  return (
    <>
      <PageTitle>Acquisto</PageTitle>
      {sessionId ? (
        <Outcome key={sessionId} sessionId={sessionId} userId={user.id} />
      ) : (
        <PageMessage title="Nessun pagamento" text="Qui si arriva dopo aver pagato un pacchetto." action={back} />
      )}
    </>
  )
}

function Outcome({ sessionId, userId }: { sessionId: string; userId: string }) {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(outcomeQuery(sessionId))
  const isFulfilled = data?.state === 'fulfilled'

  // The pill follows by realtime; where there is none, it is told here.
  useEffect(() => {
    if (isFulfilled) void client.invalidateQueries({ queryKey: balanceQuery(userId).queryKey })
  }, [isFulfilled, client, userId])

  if (!data && error) {
    return (
      <div className="column max-w-lg py-16">
        <LoadError
          text="Non riusciamo a leggere l’esito del pagamento. Se hai pagato, i crediti arrivano comunque."
          onRetry={() => void refetch()}
        />
      </div>
    )
  }
  switch (data?.state) {
    case 'fulfilled':
      return (
        <PageMessage
          icon={CircleCheckIcon}
          title={`Accreditati ${formatCredits(data.credits)} crediti`}
          text="Li trovi già nel saldo in alto, e la ricevuta ti arriva per email. Adesso puoi usarli: fai una domanda all’assistente, il prezzo lo leggi prima di inviare."
          action={{ label: 'Fai una domanda', to: paths.chat }}
        >
          <Button variant="outline" asChild>
            <Link to={paths.settingsCredits}>Vedi la ricevuta</Link>
          </Button>
        </PageMessage>
      )
    case 'failed':
      return (
        <PageMessage
          icon={CircleAlertIcon}
          title="Pagamento non riuscito"
          text="Il pagamento è stato rifiutato e non ti è stato addebitato nulla. Riprova, magari con un’altra carta."
          action={back}
        />
      )
    case 'expired':
      return (
        <PageMessage
          icon={CircleAlertIcon}
          title="Pagamento scaduto"
          text="Il tempo per pagare è finito e non ti è stato addebitato nulla. Per ricominciare scegli di nuovo il pacchetto."
          action={back}
        />
      )
    case 'refunded':
      return (
        <PageMessage
          icon={CircleCheckIcon}
          title="Acquisto rimborsato"
          text="Questo acquisto è già stato rimborsato: i suoi crediti non ci sono più."
          action={back}
        />
      )
    case 'disputed':
      return (
        <PageMessage
          icon={CircleAlertIcon}
          title="Pagamento contestato"
          text="Questo pagamento è stato contestato alla banca: i suoi crediti tornano solo se la contestazione si chiude a nostro favore."
          action={back}
        />
      )
    case 'submitted':
      return (
        <PageMessage
          icon={CircleCheckIcon}
          title="Pagamento in corso"
          text="La banca può impiegare alcuni giorni: i crediti arrivano da soli appena lo conferma. Non devi pagare di nuovo."
          action={{ label: 'Vai alla Home', to: paths.home }}
        />
      )
    case 'review':
      return (
        <PageMessage
          icon={CircleAlertIcon}
          title="Stiamo verificando il pagamento"
          text={`Il pagamento è arrivato, ma qualcosa non torna e una persona lo sta guardando. Scrivici a ${company.email} se hai fretta.`}
          action={back}
        />
      )
    case 'unknown':
      return (
        <PageMessage
          icon={CircleAlertIcon}
          title="Non troviamo questo pagamento"
          text="L’indirizzo non è di un tuo acquisto. Se hai pagato con un altro account, accedi con quello."
          action={back}
        />
      )
    default:
      return <Waiting />
  }
}

function Waiting() {
  return (
    <section
      role="status"
      className="column grid min-h-[60dvh] place-content-center justify-items-center gap-3 py-12 text-center"
    >
      <Spinner aria-hidden className="mb-2 size-8" />
      <h1 className="font-display text-3xl font-medium">Stiamo accreditando…</h1>
      <p className="max-w-md text-pretty text-muted-foreground">
        Di solito bastano pochi secondi. Puoi anche chiudere la pagina: i crediti arrivano da soli.
      </p>
    </section>
  )
}
