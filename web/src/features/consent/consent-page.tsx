/** /oauth/consent: an application elsewhere asks to use the person's account (OAuth 2.1). */
import { useEffect, useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router'

import { Logo } from '@/components/logo'
import { PageMessage } from '@/components/page-message'
import { PageSpinner } from '@/components/page-spinner'
import { useAuth } from '@/data/auth-context'
import { isRequestId } from '@/data/oauth'
import { ConsentQuestion } from '@/features/consent/consent-question'
import { rememberReturn } from '@/lib/return-path'
import { paths } from '@/paths'

export default function ConsentPage() {
  return (
    <>
      <header className="column flex min-h-14 items-center">
        <Logo />
      </header>
      <main>
        <Consent />
      </main>
    </>
  )
}

function Consent() {
  const { user, halfway, isLoading } = useAuth()
  const { pathname, search } = useLocation()
  const [params] = useSearchParams()
  const id = params.get('authorization_id') ?? ''
  // The application that somebody left by «Non sei tu?».
  const [left, setLeft] = useState<string | null>(null)

  if (!isRequestId(id)) {
    return (
      <PageMessage
        title="Richiesta non valida"
        text="Qui si arriva da un’applicazione che chiede di usare il tuo account. Torna lì e riparti dal suo pulsante."
        action={{ label: 'Torna alla Home', to: paths.landing }}
      />
    )
  }
  if (left !== null && !user) {
    // The server shows a request to one account only: another one starts anew.
    return (
      <PageMessage
        title="Sei uscito"
        text={`Torna a ${left} e riparti dal suo pulsante: ti chiederemo con quale account entrare.`}
        action={{ label: 'Torna alla Home', to: paths.landing }}
      />
    )
  }
  if (user) return <ConsentQuestion key={`${user.id} ${id}`} id={id} user={user} onLeave={setLeft} />
  if (isLoading) return <PageSpinner />
  return <SignInFirst way={`${pathname}${search}`} isHalfway={halfway !== null} />
}

/** To the login, which leads back here. */
function SignInFirst({ way, isHalfway }: { way: string; isHalfway: boolean }) {
  useEffect(() => rememberReturn(way), [way])
  return <Navigate to={isHalfway ? paths.secondFactor : paths.login} replace />
}
