import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { verifyEmailLink } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { AuthForm, EmailField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { HalfDone } from '@/features/auth/half-done'
import { resend } from '@/features/auth/resend'
import { forgotPasswordSchema, type ForgotPasswordValues, type Purpose } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage, isDeadLink } from '@/strings/auth-errors'

type State = 'waiting' | 'verifying' | 'half-done' | 'dead'

type Props = { type: Exclude<Purpose, 'recovery' | 'invite'>; token: string }

const confirmation = {
  title: 'Conferma il tuo indirizzo',
  intro: 'Premi il pulsante: il tuo account diventa attivo ed entri subito.',
  submit: 'Conferma indirizzo',
  done: 'Indirizzo confermato',
}
const texts: Record<Props['type'], typeof confirmation> = {
  signup: confirmation,
  email: confirmation,
  email_change: {
    ...confirmation,
    title: 'Conferma il nuovo indirizzo',
    intro: 'Premi il pulsante per usare da ora in poi il nuovo indirizzo.',
  },
  magiclink: {
    title: 'Entra in Socio',
    intro: 'Premi il pulsante: entri senza password.',
    submit: 'Entra',
    done: 'Login effettuato con successo!',
  },
}

export function ConfirmLink({ type, token }: Props) {
  const [state, setState] = useState<State>('waiting')
  const navigate = useNavigate()

  async function confirm(): Promise<void> {
    setState('verifying')
    try {
      if ((await verifyEmailLink(token, type)) === null) return setState('half-done')
      toast.success(texts[type].done)
      await navigate(paths.landing, { replace: true })
    } catch (thrown) {
      const failure = asAuthFailure(thrown)
      setState(isDeadLink(failure) ? 'dead' : 'waiting')
      if (!isDeadLink(failure)) toast.error(authErrorMessage(failure, 'Errore durante la conferma'))
    }
  }

  switch (state) {
    case 'dead':
      return type === 'email_change' ? <DeadChange /> : <DeadConfirmation />
    case 'half-done':
      return <HalfDone />
    case 'waiting':
    case 'verifying':
      return (
        <AuthScreen title={texts[type].title} intro={texts[type].intro}>
          <Button size="lg" disabled={state === 'verifying'} onClick={() => void confirm()}>
            {state === 'verifying' && <Spinner aria-hidden />}
            {texts[type].submit}
          </Button>
        </AuthScreen>
      )
  }
}

/** A used or expired sign-up link: perhaps the person is already confirmed, perhaps another mail is needed. */
function DeadConfirmation() {
  const form = useForm<ForgotPasswordValues>({
    resolver: zodResolver(forgotPasswordSchema),
    defaultValues: { email: '' },
  })
  return (
    <AuthScreen
      title="Questo link non vale più"
      intro="È scaduto oppure è già stato usato. Se hai già confermato l’indirizzo, accedi; altrimenti ti mandiamo un link nuovo."
      footer={<TextLink to={paths.login}>Vai al login</TextLink>}
    >
      <AuthForm form={form} onSubmit={({ email }) => resend(email)} submit="Invia di nuovo">
        <EmailField />
      </AuthForm>
    </AuthScreen>
  )
}

function DeadChange() {
  return (
    <AuthScreen
      title="Questo link non vale più"
      intro="È scaduto oppure è già stato usato. Se l’indirizzo non è cambiato, ripeti la modifica dal tuo profilo."
    >
      <Button asChild size="lg">
        <Link to={paths.settingsProfile}>Vai al profilo</Link>
      </Button>
    </AuthScreen>
  )
}
