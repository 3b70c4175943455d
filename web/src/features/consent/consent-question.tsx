import type { OAuthAuthorizationDetails, User } from '@supabase/supabase-js'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CheckIcon } from 'lucide-react'
import { useEffect } from 'react'
import { toast } from 'sonner'

import { signOut } from '@/api/auth'
import { LoadError } from '@/components/load-error'
import { PageMessage } from '@/components/page-message'
import { PageSpinner } from '@/components/page-spinner'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { consentRequestQuery, useDecideConsent } from '@/data/oauth'
import { forgetReturn } from '@/lib/return-path'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { unheardLogout } from '@/strings/devices'
import { scopeSentence } from '@/strings/scopes'

/** The name of a site; anything else than a site by its whole origin. */
function placeOf(address: string): string {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' ? host : `${protocol}//${host}`
}

const explain = (error: Error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante la risposta'))

type Props = {
  id: string
  user: User
  /** Called with the application's name when the account turned out to be somebody else's. */
  onLeave: (application: string) => void
}

/** The request itself, once it is known who answers it. */
export function ConsentQuestion({ id, user, onLeave }: Props) {
  const { data: request, error, refetch } = useQuery(consentRequestQuery(user.id, id))
  useEffect(forgetReturn, [])

  if (error) return <NoRequest error={error} onRetry={() => void refetch()} />
  // Null: answered before, and the browser is leaving.
  if (!request) return <PageSpinner />
  return <Question request={request} user={user} onLeave={onLeave} />
}

/** An account's request is not readable from another account, and none after ten minutes. */
function NoRequest({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { status = 0 } = asAuthFailure(error)
  if (status < 400 || status >= 500 || status === 429) {
    return (
      <section className="column py-16">
        <LoadError text="Non riusciamo a leggere la richiesta in questo momento." onRetry={onRetry} />
      </section>
    )
  }
  return (
    <PageMessage
      title="Richiesta scaduta"
      text="Questa richiesta è scaduta, ha già avuto risposta o era per un altro account. Torna all’applicazione e riparti da lì."
      action={{ label: 'Torna alla Home', to: paths.landing }}
    />
  )
}

type QuestionProps = { request: OAuthAuthorizationDetails } & Pick<Props, 'user' | 'onLeave'>

function Question({ request, user, onLeave }: QuestionProps) {
  const decide = useDecideConsent()
  const { client } = request
  const leave = useMutation({
    mutationFn: () => signOut(user.id),
    onMutate: () => onLeave(client.name),
    onSuccess: (isHeard) => isHeard || toast.info(unheardLogout),
    onError: explain,
  })
  const isBusy = decide.isPending || decide.isSuccess || leave.isPending
  const answer = (allow: boolean) => decide.mutate({ id: request.authorization_id, allow }, { onError: explain })

  return (
    <section className="column grid place-items-center py-4 sm:py-16">
      <PageTitle>Richiesta di accesso</PageTitle>
      <Card className="w-full max-w-md gap-6 p-5 sm:p-8">
        <header className="grid gap-2">
          <h1 className="font-display text-3xl font-medium text-balance break-words">
            {client.name} chiede di usare il tuo account
          </h1>
          <p className="text-muted-foreground">
            Sei <strong className="break-words text-foreground">{user.email ?? user.phone}</strong>.{' '}
            <Button
              variant="link"
              className="h-auto p-0"
              disabled={isBusy}
              onClick={() => leave.mutate()}
              aria-label="Non sei tu? Esci"
            >
              Non sei tu?
            </Button>
          </p>
        </header>
        <div className="grid gap-3">
          <h2 className="font-medium">Potrà</h2>
          <ul className="grid gap-2" aria-label="Che cosa potrà fare">
            {[
              ...request.scope.split(' ').map(scopeSentence),
              'Leggere e modificare i tuoi dati in Socio a nome tuo',
            ].map((sentence) => (
              <li key={sentence} className="flex gap-3">
                <CheckIcon aria-hidden className="mt-0.5 size-5 shrink-0 text-primary" />
                {sentence}
              </li>
            ))}
          </ul>
        </div>
        <p className="text-sm text-pretty text-muted-foreground">
          Se consenti torni a <strong className="break-all text-foreground">{placeOf(request.redirect_uri)}</strong>.
          Consenti solo se conosci chi lo chiede: puoi togliere l’accesso quando vuoi, dalla pagina Sicurezza.
        </p>
        <div className="grid gap-2 sm:grid-cols-2">
          <Button size="lg" disabled={isBusy} onClick={() => answer(true)}>
            Consenti
          </Button>
          <Button variant="outline" size="lg" disabled={isBusy} onClick={() => answer(false)}>
            Rifiuta
          </Button>
        </div>
      </Card>
    </section>
  )
}
