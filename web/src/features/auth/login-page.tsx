/** /login (LOGIN-01). */
import { zodResolver } from '@hookform/resolvers/zod'
import { useIsMutating } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { signIn } from '@/api/auth'
import { AuthForm, EmailField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { addressIn, withAddress } from '@/features/auth/known-address'
import { PasswordField } from '@/components/password-field'
import { OtherWays, otherWaysKey } from '@/features/auth/other-ways'
import { resend } from '@/features/auth/resend'
import { loginSchema, type LoginValues } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { returnPath } from '@/lib/return-path'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage, isWrongCredentials } from '@/strings/auth-errors'

export default function LoginPage() {
  const navigate = useNavigate()
  const email = addressIn(useLocation())
  // Set when the server says that a known address still waits for its confirmation.
  const [unconfirmed, setUnconfirmed] = useState(email)
  const form = useForm<LoginValues>({
    resolver: zodResolver(loginSchema),
    defaultValues: { email, password: '' },
  })
  const typed = useWatch({ control: form.control, name: 'email' })
  const isElsewhere = useIsMutating({ mutationKey: otherWaysKey }) > 0

  async function onSubmit(values: LoginValues): Promise<void> {
    try {
      const { needsSecondFactor } = await signIn(values)
      if (!needsSecondFactor) toast.success('Login effettuato con successo!')
      await navigate(needsSecondFactor ? paths.secondFactor : returnPath(paths.landing), { replace: true })
    } catch (thrown) {
      const failure = asAuthFailure(thrown)
      const notConfirmed = failure.code === 'email_not_confirmed'
      if (notConfirmed) setUnconfirmed(values.email)
      toast.error('Errore di autenticazione', {
        description: authErrorMessage(failure, 'Errore durante il login'),
        ...(isWrongCredentials(failure) && {
          action: {
            label: 'Recupera password',
            onClick: () => void navigate(paths.forgotPassword, { state: withAddress(values.email) }),
          },
        }),
        ...(notConfirmed && {
          action: { label: 'Invia di nuovo l’email', onClick: () => void resend(values.email) },
        }),
      })
    }
  }

  return (
    <AuthScreen
      title="Accedi a Socio"
      intro="Riprendi il lavoro da dove l’hai lasciato."
      footer={
        <>
          Non hai un account? <TextLink to={paths.register}>Registrati</TextLink>
        </>
      }
    >
      {unconfirmed && (
        <p className="rounded-md bg-secondary p-4 text-sm text-secondary-foreground">
          Ti abbiamo scritto a <strong className="break-words">{unconfirmed}</strong>: apri il link per confermare
          l’indirizzo. Hai solo il codice?{' '}
          <TextLink to={paths.authConfirm} state={withAddress(unconfirmed)}>
            Inserisci il codice
          </TextLink>
        </p>
      )}
      {/* One way at a time. */}
      <fieldset disabled={form.formState.isSubmitting || isElsewhere} className="contents">
        <AuthForm form={form} onSubmit={onSubmit} submit="Accedi">
          <EmailField />
          <div className="grid">
            <PasswordField name="password" label="Password" autoComplete="current-password" />
            <TextLink to={paths.forgotPassword} state={withAddress(typed)} className="justify-self-end text-sm">
              Password dimenticata?
            </TextLink>
          </div>
        </AuthForm>
        <OtherWays />
      </fieldset>
    </AuthScreen>
  )
}
